import Domain
import JSON
import Postgres
import TestSupport
import Testing

private let installation = #","installation":"3f1c""#

/// What an app sends whose card gets another token.
private enum Sent: CaseIterable {
    case old, rotation, new

    /// All orders of the three.
    static let orders: [[Sent]] = allCases.flatMap { first in
        let others = allCases.filter { $0 != first }
        return [[first, others[0], others[1]], [first, others[1], others[0]]]
    }

    static let oldToken = String(repeating: "aa", count: 32)
    static let newToken = String(repeating: "bb", count: 32)

    var path: String { self == .rotation ? "/rotation" : "" }

    var body: String {
        switch self {
        case .old: Self.wish(Self.oldToken)
        case .new: Self.wish(Self.newToken)
        case .rotation: #"{"from":"\#(Self.oldToken)","to":"\#(Self.newToken)"}"#
        }
    }

    private static func wish(_ token: String) -> String {
        """
        {"pushToken":"\(token)","environment":"sandbox","bundleId":"com.example"\(installation)}
        """
    }
}

extension PostgresAPI {
    fileprivate func send(_ sent: Sent, _ activity: String) async throws -> Answer {
        try await call(
            "POST", "/v1/activities/\(activity)/registrations\(sent.path)", sent.body)
    }

    fileprivate func served(_ activity: String) async throws -> [String] {
        try await database.pool.query(
            """
            SELECT push_token FROM registration
            WHERE activity_id = $1 AND closed_at IS NULL AND dead_at IS NULL
            """, [.text(activity)]
        ).map { try $0.get(0, as: String.self) }
    }
}

@Test(.timeLimit(.minutes(3)), arguments: [1, 2])
func `a phone is served under its newer token, in whatever order and how often it sends`(
    times: Int
) async throws {
    let api = try await PostgresAPI.make()
    for (number, order) in Sent.orders.enumerated() {
        let activity = "o-\(times)-\(number)"
        for sent in order {
            for _ in 0..<times { _ = try await api.send(sent, activity) }
        }
        // A rotation counts if it comes after the registration of the old token.
        if order.firstIndex(of: .old) ?? 0 < order.firstIndex(of: .rotation) ?? 0 {
            #expect(try await api.served(activity) == [Sent.newToken], "\(order)")
            let late = try await api.send(.old, activity)
            #expect(try late.json()["closedBy"]?.text == "replaced", "\(order)")
        }
        let again = try await api.send(.new, activity)
        #expect(try again.json()["outcome"]?.text != "closed", "\(order)")
        #expect(try await api.served(activity) == [Sent.newToken], "\(order)")
    }
}

@Test func `a phone whose older token was taken back is served when it has told of the rotation`()
    async throws
{
    let api = try await PostgresAPI.make()
    for sent in [Sent.new, .old] { _ = try await api.send(sent, "o-1") }
    let removal = #"{"pushToken":"\#(Sent.oldToken)"}"#
    _ = try await api.call("POST", "/v1/activities/o-1/registrations/removal", removal)
    let rotated = try await api.send(.rotation, "o-1")
    #expect(try rotated.json()["closedBy"]?.text == "removed")
    #expect(try await api.send(.new, "o-1").status == 201)
    #expect(try await api.served("o-1") == [Sent.newToken])
    let late = try await api.send(.old, "o-1")
    #expect(try late.json()["closedBy"]?.text == "replaced")
}

@Test func `a late registration of the older token serves no card that was taken back`()
    async throws
{
    let api = try await PostgresAPI.make()
    for sent in [Sent.old, .new] { _ = try await api.send(sent, "o-1") }
    let removal = #"{"pushToken":"\#(Sent.newToken)"}"#
    _ = try await api.call("POST", "/v1/activities/o-1/registrations/removal", removal)
    let late = try await api.send(.old, "o-1")
    #expect(try late.json()["closedBy"]?.text == "replaced")
    #expect(try await api.served("o-1").isEmpty)
}

@Test func `a card whose place an earlier one took registers again when that one has ended`()
    async throws
{
    let api = try await PostgresAPI.make()
    for sent in [Sent.old, .new] { _ = try await api.send(sent, "o-1") }
    let ended = #"{"pushToken":"\#(Sent.newToken)","state":"ended"}"#
    _ = try await api.call("POST", "/v1/activities/o-1/registrations/report", ended)
    #expect(try await api.send(.old, "o-1").status == 201)
    #expect(try await api.served("o-1") == [Sent.oldToken])
}
