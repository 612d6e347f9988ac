public import Domain
import TLS

/// A key registered with the simulated Apple.
public struct ProviderKey: Hashable, Sendable {
    /// Ten characters, the `kid` of tokens signed with it.
    public var keyID: String
    public var teamID: String
    /// Nil for an older key that works in both environments.
    public var environment: APNsEnvironment?
    /// Keys of one family may take turns on a connection, others may not.
    public var family: String
    /// Of the team's apps; nil for those of `APNsMachine.Configuration`.
    public var bundleIDs: Set<String>?

    public init(
        keyID: String, teamID: String, environment: APNsEnvironment? = nil,
        family: String = "team", bundleIDs: Set<String>? = nil
    ) {
        self.keyID = keyID
        self.teamID = teamID
        self.environment = environment
        self.family = family
        self.bundleIDs = bundleIDs
    }
}

/// Checks `(signing input, 64-byte r‖s signature, key id)`.
public typealias SignatureCheck =
    @Sendable (_ signingInput: [UInt8], _ signature: [UInt8], _ keyID: String) -> Bool

/// Lets connections in by their provider tokens and keeps each to the first team it showed.
struct ProviderGate: Sendable {
    private enum ConnectionState {
        case bound(Binding)
        /// An expired token spoils its connection: libraries found that a fresh one does not help.
        case spoilt
    }

    private struct Binding {
        var token: String
        var key: ProviderKey
        var issuedAt: Moment
        /// When the connection first used the token: refreshes are counted from here.
        var adoptedAt: Moment
    }

    var environment: APNsEnvironment
    let keys: [String: ProviderKey]
    let isSigned: SignatureCheck
    private var states: [UInt64: ConnectionState] = [:]

    init(environment: APNsEnvironment, keys: [ProviderKey], isSigned: @escaping SignatureCheck) {
        self.environment = environment
        self.keys = Dictionary(keys.map { ($0.keyID, $0) }, uniquingKeysWith: { $1 })
        self.isSigned = isSigned
    }

    /// - Parameter authorization: the header's value.
    /// - Returns: true when this is the first valid token of the connection.
    mutating func admit(
        _ authorization: String?, connection: UInt64, now: Moment, _ oddities: inout OddityBook
    ) throws(Refused) -> Bool {
        guard let token = Self.bearerToken(authorization) else {
            throw Refused(.missingProviderToken)
        }
        switch states[connection] {
        case .spoilt: throw Refused(.expiredProviderToken)
        case .bound(let binding) where binding.token == token:
            try checkAge(binding.issuedAt, connection: connection, now: now)
            return false
        case .bound(let binding):
            let fresh = try bind(token, connection: connection, now: now, &oddities)
            guard fresh.key.family == binding.key.family, fresh.key.teamID == binding.key.teamID
            else { throw Refused(.unrelatedKeyIDInToken) }
            let ageSeconds = now.seconds(since: binding.adoptedAt)
            guard ageSeconds >= Limits.providerTokenRefreshSecondsMin else {
                throw Refused(.tooManyProviderTokenUpdates)
            }
            states[connection] = .bound(fresh)
            return false
        case nil:
            states[connection] = .bound(
                try bind(token, connection: connection, now: now, &oddities))
            forgetOldest()
            return true
        }
    }

    /// Apps of the team that the connection is bound to; nil for those of the configuration.
    func bundleIDs(on connection: UInt64) -> Set<String>? {
        guard case .bound(let binding) = states[connection] else { return nil }
        return binding.key.bundleIDs
    }

    /// Sorted; some may be closed by now.
    var boundConnections: [UInt64] {
        states.filter { if case .bound = $0.value { true } else { false } }.keys.sorted()
    }

    private mutating func bind(
        _ token: String, connection: UInt64, now: Moment, _ oddities: inout OddityBook
    ) throws(Refused) -> Binding {
        guard let claims = ProviderTokenClaims(token), let key = keys[claims.keyID],
            key.teamID == claims.teamID
        else { throw Refused(.invalidProviderToken) }
        if !isSigned(claims.signingInput, claims.signature, claims.keyID) {
            guard let joined = ES256Signature.joined(der: claims.signature[...]),
                isSigned(claims.signingInput, joined, claims.keyID)
            else { throw Refused(.invalidProviderToken) }
            try oddities.meet(.derSignature, else: .invalidProviderToken)
        }
        if claims.issueTimeIsText {
            try oddities.meet(.textualIssueTime, else: .invalidProviderToken)
        }
        if let scope = key.environment, scope != environment {
            throw Refused(.badEnvironmentKeyIDInToken)
        }
        try checkAge(claims.issuedAt, connection: connection, now: now)
        return Binding(token: token, key: key, issuedAt: claims.issuedAt, adoptedAt: now)
    }

    /// An hour ahead is as wrong as an hour behind: a skewed clock is reported the same way.
    private mutating func checkAge(
        _ issuedAt: Moment, connection: UInt64, now: Moment
    ) throws(Refused) {
        guard abs(now.seconds(since: issuedAt)) <= Limits.providerTokenAgeSecondsMax else {
            states[connection] = .spoilt
            throw Refused(.expiredProviderToken)
        }
    }

    /// Connection numbers grow, so the smallest are the oldest.
    private mutating func forgetOldest() {
        guard states.count > Limits.connectionsRememberedMax else { return }
        for connection in states.keys.sorted().prefix(states.count / 2) {
            states[connection] = nil
        }
    }

    private static func bearerToken(_ authorization: String?) -> String? {
        guard let authorization else { return nil }
        let parts = authorization.utf8.split(separator: UInt8(ascii: " "))
        guard parts.count == 2, String(Substring(parts[0])).lowercased() == "bearer" else {
            return nil
        }
        return String(Substring(parts[1]))
    }
}
