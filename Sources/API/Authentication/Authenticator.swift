import Domain
import EventStore
import HTTP
import TLS

/// Authenticates a request by its API key, ticket or session cookie, and charges its rate limits.
final class Authenticator: Sendable {
    let store: EventStore
    let environment: APIEnvironment
    /// Unknown keys never are in it: guessing must not fill the cache.
    private let grants: KeyCache<KeyDigest, Grant>
    let tickets: TicketKeyring
    private let meter = TenantMeter()
    let ticketMeter = TicketMeter()
    let registrationMeter = RegistrationMeter()
    /// For its callers.
    let largeWork = LargeWork()

    init(store: EventStore, environment: APIEnvironment) {
        self.store = store
        self.environment = environment
        self.grants = KeyCache(lifetimeSeconds: environment.limits.keyCacheSeconds)
        self.tickets = TicketKeyring(store: store, environment: environment)
        grants.follow(store.notifications(about: [.keysChanged]))
        tickets.rings.follow(store.notifications(about: [.keysChanged]))
    }

    /// What was changed of a tenant's keys here counts for the next request; other nodes hear
    /// of it by a notification.
    func forgetKeys(of tenant: TenantID) {
        grants.handle(.happened(.keysChanged, tenant))
        tickets.rings.handle(.happened(.keysChanged, tenant))
    }

    /// - Parameter activity: which the request is about, if a ticket for it is enough.
    func caller(
        of request: Request, scope: Scope, activity: ActivityID? = nil
    ) async throws(ProblemDocument) -> Caller {
        let cookie = SessionCookie(of: request)
        if let cookie { try cookie.checkOrigin(of: request) }
        let key = if let cookie { Array(cookie.token.utf8) } else { try key(of: request) }
        if cookie == nil, PresentedTicket.isTicket(key) {
            return try await caller(
                byTicket: key, of: request, scope: scope, activity: activity)
        }
        let (grant, now) = try await liveGrant(of: key, in: request, isSignIn: cookie != nil)
        let buckets = try chargeOrRefuse(request, grant.key.tenant.id, grant.allowance, at: now)
        guard grant.key.allows(scope) else {
            let challenge =
                #"Bearer realm="islet", error="insufficient_scope", scope="\#(scope.rawValue)""#
            throw ProblemDocument(
                .missingScope, "The key lacks the scope \(scope.rawValue).",
                headers: ["www-authenticate": challenge])
        }
        var allowance = grant.allowance
        // What is about one activity alone is short.
        if activity != nil { allowance.limitBodies(to: Limits.objectBytesMax) }
        return Caller(
            allowance: allowance, buckets: buckets, credential: .key(grant), scope: scope,
            authenticator: self, signedInBy: cookie)
    }

    /// What a key, or the key that was signed in with, allows now. A cookie's value is not taken as
    /// a key: it could open further sign-ins and ask for changes without a token. Nor is a key
    /// taken as a cookie's value.
    private func liveGrant(
        of key: [UInt8], in request: Request, isSignIn: Bool
    ) async throws(ProblemDocument) -> (Grant, at: Moment) {
        func refused(_ problem: Problem, _ ofKey: String, _ ofSignIn: String) -> ProblemDocument {
            isSignIn ? refusal(.signedOut, ofSignIn) : refusal(problem, ofKey)
        }
        let (found, now) = try await lookUp(SHA256.hash(key))
        let grant: Grant
        switch found {
        case .here(let present) where present.key.isSignIn == isSignIn: grant = present
        case .elsewhere(let cell): throw .elsewhere(cell, request)
        case .here, nil:
            throw refused(
                .invalidKey, "No tenant has this API key.",
                "Somebody has signed out, or it was long ago.")
        }
        guard grant.key.revokedAt == nil else {
            throw refused(
                .invalidKey, "This API key was revoked.",
                "The API key that was signed in with was revoked.")
        }
        if let end = grant.key.expiresAt, end <= now {
            throw refused(
                .expiredKey, "This API key expired at \(end.rfc3339).",
                "The sign-in ended at \(end.rfc3339).")
        }
        return (grant, now)
    }

    /// Asks the store, at most every few seconds, whether the key is still valid.
    func isStillGranted(_ scope: Scope, _ grant: Grant) async -> Bool {
        // An unreachable store revokes nobody, but a key's end is known.
        let found: FoundKey?
        do { found = try await lookUp(grant.hash).found } catch { found = .here(grant) }
        guard case .here(let present) = found, present.key.tenant == grant.key.tenant,
            present.key.revokedAt == nil
        else { return false }
        let isOver = present.key.expiresAt.map { $0 <= environment.now() } ?? false
        return !isOver && present.key.allows(scope)
    }

    /// Every request with a valid key counts, whatever comes of it, and so do its body's bytes.
    func chargeOrRefuse(
        _ request: Request, _ tenant: TenantID, _ allowance: Allowance, at now: Moment
    ) throws(ProblemDocument) -> TenantBuckets {
        let buckets = meter.buckets(of: tenant, allowance, at: now)
        if let wait = buckets.takeRequest(at: now) {
            throw .tooManyRequests(allowance, waitMicroseconds: wait)
        }
        // Of one that is admitted by its head the body comes later.
        if !request.body.isEmpty, let wait = buckets.takeBytes(request.body.count, at: now) {
            throw .tooManyBytes(allowance, waitMicroseconds: wait)
        }
        return buckets
    }

    func refusal(_ problem: Problem, _ detail: String) -> ProblemDocument {
        ProblemDocument(
            problem, detail,
            headers: ["www-authenticate": #"Bearer realm="islet", error="invalid_token""#])
    }

    private func key(of request: Request) throws(ProblemDocument) -> [UInt8] {
        let challenge: Headers = ["www-authenticate": #"Bearer realm="islet""#]
        var fields = request.headers.fields.lazy.filter { $0.name == "authorization" }
            .makeIterator()
        guard let field = fields.next()?.value else {
            throw ProblemDocument(
                .missingKey, "The request has no Authorization header.", headers: challenge)
        }
        guard fields.next() == nil, let key = Self.bearerToken(of: field) else {
            throw ProblemDocument(
                .invalidKey, "The Authorization header is not of the form `Bearer <key>`.",
                headers: challenge)
        }
        return key
    }

    /// The scheme's name is not case-sensitive, and any number of spaces may follow it (RFC 9110,
    /// section 11.4).
    private static func bearerToken(of field: String) -> [UInt8]? {
        var field = field
        // Every request is looked at so, and a string's bytes are slow to walk through.
        let bytes = field.withUTF8 { field in
            placeOfToken(in: field).map { Array(field[$0]) }
        }
        guard let token = bytes else { return nil }
        let isFit =
            token.count <= Limits.keyBytesMax
            || token.count <= Limits.ticketBytesMax && PresentedTicket.isTicket(token)
        return isFit ? token : nil
    }

    private static func placeOfToken(in field: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        let space = UInt8(ascii: " ")
        let scheme = field.drop { $0 == space }.prefix { $0 != space }
        guard scheme.count == 6, scheme.elementsEqual("bearer".utf8, by: { $0 | 0x20 == $1 }) else {
            return nil
        }
        let token = field[scheme.endIndex...].drop { $0 == space }.prefix { $0 != space }
        let isLast = field[token.endIndex...].allSatisfy { $0 == space }
        return isLast && !token.isEmpty ? token.startIndex..<token.endIndex : nil
    }

    private enum FoundKey {
        case here(Grant)
        case elsewhere(Cell)
    }

    /// - Returns: what the key stands for, and when that was found: asking the store takes time.
    private func lookUp(
        _ hash: [UInt8]
    ) async throws(ProblemDocument) -> (found: FoundKey?, at: Moment) {
        let (now, digest) = (environment.now(), KeyDigest(bytes: hash))
        let (known, changeCount) = grants.lookUp(digest, at: now)
        if let known { return (.here(known), now) }
        let found = try await environment.asked(
            "checking an API key", try await store.tenants.lookUp(key: hash))
        switch found {
        case .granted(let key):
            let grant = Grant(key, hash: hash, environment.limits)
            grants.insert(grant, of: key.tenant.id, for: digest, at: now, changeCount: changeCount)
            return (.here(grant), environment.now())
        case .departed(let cell): return (.elsewhere(cell), environment.now())
        case nil: return (nil, environment.now())
        }
    }
}

extension KeyGrant {
    /// A caller that may do everything within a tenant may not look at other tenants.
    func allows(_ scope: Scope) -> Bool {
        scopes.contains(scope) || (scope != .tenants && scopes.contains(.admin))
    }
}
