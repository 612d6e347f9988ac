import Domain
import Foundation
import HTTP
import Testing

@testable import Simulator

/// A world with one phone and a sender that does everything right unless told otherwise.
struct Apple {
    static let bundleID = "dev.islet.app"
    static let start = Moment(unixSeconds: 1_767_225_600)

    var world: World
    var now = Apple.start
    let token: PushToken

    init(
        environment: APNsEnvironment = .sandbox, phoneEnvironment: APNsEnvironment? = nil,
        keys: [ProviderKey] = [ProviderKey(keyID: "KEY0000001", teamID: "TEAM000001")],
        rules: PhoneRules = PhoneRules(), broadcast: BroadcastRules = BroadcastRules(),
        refused: Set<Oddity> = []
    ) throws {
        world = World(
            apns: .init(
                environment: environment, bundleIDs: [Self.bundleID], keys: keys,
                broadcast: broadcast, refused: refused,
                isSigned: { input, signature, keyID in
                    signature == Self.signature(of: input, keyID: keyID)
                }),
            kinds: [CardKind(Pie.self)], rules: rules, seed: 7)
        let added = try world.addPhone(
            named: "Ann", with: PhoneTraits(environment: phoneEnvironment),
            starting: ActivityStart(kind: "Pie", activity: ActivityID(rawValue: "order-1")),
            now: now)
        token = try #require(added.token)
    }

    /// Stands in for ES256: 64 bytes that depend on the input and the key.
    static func signature(of input: [UInt8], keyID: String) -> [UInt8] {
        var sum: UInt8 = 0
        for byte in input + Array(keyID.utf8) { sum = sum &* 31 &+ byte }
        return [UInt8](repeating: sum, count: 64)
    }

    static func providerToken(
        header: String? = nil, claims: String? = nil, keyID: String = "KEY0000001",
        teamID: String = "TEAM000001", issuedAt: Int64 = Apple.start.unixSeconds,
        signature: [UInt8]? = nil
    ) -> String {
        let header = header ?? #"{"alg":"ES256","kid":"\#(keyID)"}"#
        let claims = claims ?? #"{"iss":"\#(teamID)","iat":\#(issuedAt)}"#
        let input = base64URL(Array(header.utf8)) + "." + base64URL(Array(claims.utf8))
        let signed = signature ?? Self.signature(of: Array(input.utf8), keyID: keyID)
        return input + "." + base64URL(signed)
    }

    static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    /// A push in perfect order; `changes` replace headers, nil removes one.
    func request(
        _ changes: [String: String?] = [:], body: String? = nil, connection: UInt64 = 1
    ) -> Request {
        var fields: [String: String] = [
            "authorization": "bearer \(Self.providerToken())",
            "apns-push-type": "liveactivity",
            "apns-topic": "\(Self.bundleID).push-type.liveactivity",
            "apns-priority": "10",
            "apns-expiration": "0",
            "apns-id": "123e4567-e89b-12d3-a456-4266554400a0",
        ]
        for (name, value) in changes { fields[name] = value }
        var headers = Headers()
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) { headers.append(name, value) }
        return Request(
            method: "POST", target: "/3/device/\(token.hex)", headers: headers,
            body: Array((body ?? update(slices: 1)).utf8), connectionID: connection)
    }

    func update(slices: Int) -> String {
        aps(#""content-state":{"slices":\#(slices)}"#)
    }

    func aps(_ members: String, event: String = "update", timestamp: Int64? = nil) -> String {
        let timestamp = timestamp ?? now.unixSeconds
        return #"{"aps":{"timestamp":\#(timestamp),"event":"\#(event)",\#(members)}}"#
    }

    mutating func send(_ request: Request) -> APNsAnswer {
        world.receive(request, now: now).answer
    }

    /// Sends a push that is in order but for its body; fails when APNs refuses it.
    mutating func push(_ body: String, to token: PushToken? = nil) throws -> [PhoneEvent] {
        var request = request(body: body)
        if let token { request.target = "/3/device/\(token.hex)" }
        let (answer, effects) = world.receive(request, now: now)
        if let refusal = answer.refusal { throw Refused(refusal) }
        return effects.compactMap { effect in
            switch effect {
            case .observed(let event): event
            default: nil
            }
        }
    }

    var card: Card { world.phones[0].cards[0] }
    var slices: String? { card.presentation?.pie }
}
