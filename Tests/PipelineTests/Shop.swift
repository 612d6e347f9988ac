import Domain
import EventStore
import Foundation
import Pipeline
import Postgres
import Projections
import StoreTestSupport
import TestSupport
import Testing

/// A tenant with a real log on a database of its own.
struct Shop {
    static let order = ActivityID(rawValue: "order-1")

    let database: TestDatabase
    let tenant: TenantID

    var store: EventStore { database.store }

    init() async throws {
        database = try await TestDatabase.make()
        tenant = try await database.store.tenants.ensure("shop").id
    }

    /// - Parameter type: as in the kind `PizzaDelivery` when it has no dot.
    func report(
        _ type: String, _ data: String = "{}", _ activity: ActivityID = order
    ) async throws {
        let name = type.contains(".") ? type : "PizzaDelivery.\(type)"
        try await Self.report(name, data, activity, of: tenant, store)
    }

    private static func report(
        _ type: String, _ data: String, _ activity: ActivityID, of tenant: TenantID,
        _ store: EventStore
    ) async throws {
        let outcomes = try await store.log.append(
            tenant,
            [
                NewEvent(
                    id: UUID().uuidString, source: "/shop", type: type, activityID: activity,
                    occurredAt: .timeOfDay, data: Data(data.utf8))
            ])
        try #require(outcomes.first?.isAccepted == true)
    }

    func place(_ activity: ActivityID = order) async throws {
        try await Self.place(activity, of: tenant, store)
    }

    static func place(
        _ activity: ActivityID, of tenant: TenantID, _ store: EventStore
    ) async throws {
        try await report(
            "PizzaDelivery.OrderPlaced",
            #"{"orderNumber":"7","numberOfPizzas":2,"totalAmount":"€20.00","#
                + #""promisedAt":"2026-05-01T19:00:00Z"}"#, activity, of: tenant, store)
    }

    /// Folds the log again, beside what is live, and changes over.
    func rebuild() async throws {
        _ = try await store.rebuilds.begin(tenant, "a test", ActivityCatalog.standard.foldVersions)
        let session = try #require(
            try await store.rebuilds.take(tenant, ActivityCatalog.standard.foldVersions))
        let outcome = try await Rebuilder(store: store) { _ in }.work(session) { _ in }
        try #require(outcome == .finished)
    }

    func fold() async {
        let projector = Projector(store: store) { Issue.record("folding failed: \($0)") }
        await projector.drain()
    }

    /// As a version of Islet would that does not understand these events.
    func fold(parking positions: Set<Int64>) async throws {
        while try await store.projections.foldNext(
            nil, 500,
            { batch in
                var batch = batch
                for index in batch.events.indices
                where positions.contains(batch.events[index].position) {
                    batch.events[index].event.data = Data("[]".utf8)
                }
                return BatchFolder.fold(batch)
            }) != nil
        {}
    }

    func snapshot(_ activity: ActivityID = order) async throws -> Snapshot? {
        try await store.projections.snapshot(tenant, activity)
    }

    func decisions(_ activity: ActivityID = order) async throws -> [Decision] {
        try await store.projections.decisions(tenant, activity, 0, 500).map(\.decision)
    }

    func types(_ activity: ActivityID = order) async throws -> [String] {
        try await store.log.readActivity(tenant, activity, 0, 500).map(\.event.type)
    }

    func change(_ sql: String) async throws {
        try await database.alter(sql)
    }
}

extension Moment {
    static func hoursFromNow(_ hours: Double) -> Moment {
        timeOfDay.adding(seconds: hours * 3600)
    }
}
