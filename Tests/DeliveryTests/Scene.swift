import Delivery
import Domain
import EventLoop
import EventStore
import Foundation
import JSON
import Pipeline
import Postgres
import PostgresStore
import TestSupport
import Testing

/// One tenant on a database of its own, a transport that remembers, and a clock that stands still
/// until it is moved.
struct Scene {
    let database: TestDatabase
    let tenant: TenantID
    let transport = RecordingTransport()
    let channels = RecordingChannels()
    let clock: TestClock
    private let noticed = Lock<[Sender.Diagnostic]>([])

    /// - Parameter start: of the clock; nil for the time of day, which the log's times follow.
    init(start: Moment? = nil) async throws {
        database = try await TestDatabase.make()
        tenant = try await database.store.tenants.ensure("pizzeria").id
        clock = TestClock(start ?? .timeOfDay)
    }

    var store: EventStore { database.store }
    var diagnostics: [Sender.Diagnostic] { noticed.withLock { $0 } }

    /// Another process, as far as the database can tell: a pool and claims of its own.
    func anotherNode() -> (store: EventStore, pool: Pool) {
        let pool = database.makePool()
        return (.postgres(pool: pool), pool)
    }

    func sender(
        _ store: EventStore? = nil, _ transport: RecordingTransport? = nil
    ) -> Sender {
        Sender(
            store: store ?? self.store, transport: (transport ?? self.transport).transport,
            broadcasts: channels.transport,
            now: { [clock] in clock.now }, makePushID: { UUID().uuidString.lowercased() },
            report: { [noticed] diagnostic in noticed.withLock { $0.append(diagnostic) } })
    }

    /// Lets the clock go on and sends what is due then.
    /// - Returns: the pushes that this brought.
    @discardableResult
    func send(after seconds: Double = 0) async -> [RecordingTransport.Push] {
        clock.advance(by: seconds)
        let before = transport.pushes.count
        await sender().drain()
        return Array(transport.pushes.dropFirst(before))
    }

    /// Reports facts and folds them.
    func report(_ facts: Fact...) async throws {
        try await report(facts)
    }

    func report(_ facts: [Fact]) async throws {
        let outcomes = try await store.log.append(tenant, facts.map(\.event))
        let areAccepted = outcomes.allSatisfy(\.isAccepted)
        try #require(areAccepted)
        await fold()
    }

    func fold() async {
        let projector = Projector(store: store) { Issue.record("folding failed: \($0)") }
        await projector.drain()
    }

    /// - Returns: the phone's token.
    @discardableResult
    func register(
        _ name: String, for activity: String = Fact.order,
        environment: APNsEnvironment = .sandbox
    ) async throws -> PushToken {
        let token = try #require(PushToken(hex: Self.tokenHex(name)))
        _ = try await store.registrations.register(
            tenant, ActivityID(rawValue: activity), token, environment, "com.example.pizza")
        return token
    }

    /// As many phones as wished, in one statement, with tokens that are the numbers after `first`.
    func registerMany(
        _ count: Int, for activity: String = Fact.order, from first: Int = 0
    ) async throws {
        _ = try await database.pool.query(
            """
            INSERT INTO registration (
                tenant, activity_id, push_token, environment, bundle_id
            )
            SELECT $1, $2, lpad(to_hex(n), 64, '0'), 'sandbox', 'com.example.pizza'
            FROM generate_series($4 + 1, $4 + $3) AS n
            """,
            [.int4(tenant.rawValue), .text(activity), .int4(Int32(count)), .int4(Int32(first))])
    }

    func living(_ activity: String = Fact.order) async throws -> Int {
        try await store.phoneCount(tenant, ActivityID(rawValue: activity))
    }

    func ledger(_ activity: String = Fact.order) async throws -> [LedgerRow] {
        try await store.projections.decisions(tenant, ActivityID(rawValue: activity), 0, 500)
    }

    func outcomes(_ activity: String = Fact.order) async throws -> [LedgerRow.Outcome?] {
        try await ledger(activity).map(\.outcome)
    }

    /// The content state that is stored for the activity.
    func contentState(_ activity: String = Fact.order) async throws -> String {
        let snapshot = try await store.projections.snapshot(
            tenant, ActivityID(rawValue: activity))
        return String(decoding: try #require(snapshot).contentState, as: UTF8.self)
    }

    static func tokenHex(_ name: String) -> String {
        let digits = name.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return digits + String(repeating: "0", count: 64 - digits.count)
    }
}

/// A clock that a test moves.
final class TestClock: Sendable {
    private let time: Lock<Moment>

    init(_ start: Moment) { time = Lock(start) }

    var now: Moment { time.withLock { $0 } }

    func advance(by seconds: Double) {
        time.withLock { $0 = $0.adding(seconds: seconds) }
    }
}

/// What a pizzeria reports of one order.
struct Fact {
    static let order = "order-1042"

    var event: NewEvent

    /// - Parameter minute: of an evening that passes quickly, so that all of it is news.
    private init(_ type: String, _ data: String, _ activity: String, atMinute minute: Int) {
        event = NewEvent(
            id: UUID().uuidString, source: "/shops/test", type: "PizzaDelivery.\(type)",
            activityID: ActivityID(rawValue: activity),
            occurredAt: .timeOfDay.adding(seconds: Double(minute - 60) * 10),
            data: Data(data.utf8))
    }

    static func placed(_ activity: String = order, number: String = "1042") -> Fact {
        Fact(
            "OrderPlaced",
            #"{"orderNumber":"\#(number)","numberOfPizzas":2,"totalAmount":"€24.00","#
                + #""promisedAt":"2099-12-31T19:00:00Z"}"#, activity, atMinute: 0)
    }

    static func assigned(_ driver: String, _ activity: String = order, minute: Int = 5) -> Fact {
        let data = String(decoding: WireCoder.encode(["driverName": driver]), as: UTF8.self)
        return Fact("DriverAssigned", data, activity, atMinute: minute)
    }

    /// Quiet: the estimate drifts by a few minutes.
    static func estimated(_ minutes: Int, _ activity: String = order) -> Fact {
        Fact(
            "EstimateRevised", #"{"estimatedAt":"2099-12-31T19:0\#(minutes):00Z"}"#, activity,
            atMinute: 10 + minutes)
    }

    /// Expected so many minutes after the promise, as reported in some minute.
    static func late(_ minutes: Int, minute: Int, _ activity: String = order) -> Fact {
        let digits = minutes < 10 ? "0\(minutes)" : "\(minutes)"
        return Fact(
            "EstimateRevised", #"{"estimatedAt":"2099-12-31T19:\#(digits):00Z"}"#, activity,
            atMinute: minute)
    }

    static func pickedUp(_ activity: String = order) -> Fact {
        Fact("OrderPickedUp", "{}", activity, atMinute: 30)
    }

    static func arriving(_ activity: String = order) -> Fact {
        Fact("DriverArriving", "{}", activity, atMinute: 40)
    }

    static func delivered(_ activity: String = order) -> Fact {
        Fact("OrderDelivered", "{}", activity, atMinute: 50)
    }

    /// Late fact after the end.
    static func located(_ meters: Int, _ activity: String = order) -> Fact {
        Fact("DriverLocated", #"{"distanceMeters":\#(meters)}"#, activity, atMinute: 45)
    }
}
