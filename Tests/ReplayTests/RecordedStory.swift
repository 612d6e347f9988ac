import Domain
import EventStore
import Foundation
import Pipeline
import Postgres
import PostgresStore
import ProjectFiles
import Replay
import StoreTestSupport
import Testing
import TestSupport

/// A real log with everything that was folded from it, on a database of its own.
struct RecordedStory {
    static let match = ActivityID(rawValue: "world-cup-2022-final")

    let database: TestDatabase
    let tenant: Tenant

    var store: EventStore { database.store }
    var history: History { History(store, of: tenant) }

    /// - Parameter fixtures: played one after the other, in the order of their lines.
    init(_ fixtures: String...) async throws {
        database = try await TestDatabase.make()
        tenant = try await database.store.tenants.ensure("feed")
        for name in fixtures { try await keep(try Self.events(name)) }
        try await fold()
    }

    /// As they were recorded in their time, a moment after they happened.
    private func keep(_ events: [NewEvent]) async throws {
        var seen: Set<String> = []
        let first = events.filter { seen.insert($0.id).inserted }
        let outcomes = try await EventImport.postgres(database.pool).record(
            tenant.id,
            first.map { ImportedEvent(recordedAt: $0.occurredAt.adding(seconds: 2), event: $0) })
        let areAccepted = outcomes.allSatisfy(\.isAccepted)
        try #require(areAccepted)
    }

    static func worldCupFinal() async throws -> RecordedStory {
        try await RecordedStory("world-cup-2022-final")
    }

    /// - Parameter events: fewer than fit into one append.
    func report(_ events: [NewEvent]) async throws {
        let outcomes = try await store.log.append(tenant.id, events)
        let areAccepted = outcomes.allSatisfy(\.isAccepted)
        try #require(areAccepted)
    }

    func fold() async throws {
        let projector = Projector(store: store) { Issue.record("folding failed: \($0)") }
        await projector.drain()
    }

    static let released = ActivityID(rawValue: "order-1")

    /// An order of which version 2 was parked, skipped and left out, and what came after it folded.
    func reportReleased() async throws {
        try await report([
            Self.order("order-1", "OrderAccepted", "{}"),
            Self.order("order-1", "DriverAssigned", #"{"driverName":7}"#),
            Self.order("order-1", "DriverAssigned", #"{"driverName":"Ada"}"#),
            Self.order("order-1", "OrderPickedUp", "{}"),
        ])
        try await fold()
        _ = try await Repair(store, tenant: tenant.id).skip(2)
    }

    /// What nobody but a superuser who means harm, or a broken disk, can do.
    func tamper(_ sql: String) async throws {
        try await database.alter(
            """
            ALTER TABLE event DISABLE TRIGGER event_is_append_only;
            ALTER TABLE event DISABLE TRIGGER event_is_only_erased;
            ALTER TABLE event DISABLE TRIGGER event_is_kept_until_archived;
            \(sql);
            ALTER TABLE event ENABLE ALWAYS TRIGGER event_is_append_only;
            ALTER TABLE event ENABLE ALWAYS TRIGGER event_is_only_erased;
            ALTER TABLE event ENABLE ALWAYS TRIGGER event_is_kept_until_archived
            """)
    }

    /// An order's report, now.
    static func order(_ activity: String, _ type: String, _ data: String) -> NewEvent {
        NewEvent(
            id: UUID().uuidString, source: "/shops/test", type: "PizzaDelivery.\(type)",
            activityID: ActivityID(rawValue: activity),
            occurredAt: Moment(microseconds: 0).adding(seconds: Date().timeIntervalSince1970),
            data: Data(data.utf8))
    }

    private struct Unreadable: Error { var line: Int }

    private static func events(_ name: String) throws -> [NewEvent] {
        let lines = try ProjectFiles.text("Sources/Demo/Fixtures/\(name).ndjson")
            .split(separator: "\n")
        return try lines.enumerated().map { index, line in
            let json = try JSONSerialization.jsonObject(with: Data(line.utf8))
            guard let event = json as? [String: Any], let id = event["id"] as? String,
                let source = event["source"] as? String, let type = event["type"] as? String,
                let subject = event["subject"] as? String,
                let time = (event["time"] as? String).flatMap({ Moment(rfc3339: $0) }),
                let data = event["data"] as? [String: Any]
            else { throw Unreadable(line: index + 1) }
            return NewEvent(
                id: id, source: source, type: type, activityID: ActivityID(rawValue: subject),
                occurredAt: time, data: try JSONSerialization.data(withJSONObject: data))
        }
    }
}
