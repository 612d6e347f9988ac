import Domain
import EventLoop
import EventStore
import Foundation
import Pipeline
import Postgres
import StoreTestSupport
import TestSupport
import Testing

extension `The replay program` {
    /// A log of one order, folded.
    struct Shop {
        let database: TestDatabase
        var store: [String] { ["--database-url", database.url] }

        static func make(_ orders: Int = 1) async throws -> Shop {
            let database = try await TestDatabase.make()
            let tenant = try await database.store.tenants.ensure("pizzeria")
            let events = (1...orders).flatMap { order in
                [
                    ("OrderAccepted", "{}"), ("DriverAssigned", #"{"driverName":"Ada Lovelace"}"#),
                    ("OrderPickedUp", "{}"), ("DriverArriving", "{}"), ("OrderDelivered", "{}"),
                ].enumerated().map { index, event in
                    NewEvent(
                        id: "\(order)-\(index)", source: "/shops/test",
                        type: "PizzaDelivery.\(event.0)",
                        activityID: ActivityID(rawValue: "order-\(order)"),
                        occurredAt: Moment(unixSeconds: 1_800_000_000),
                        data: Data(event.1.utf8))
                }
            }
            for start in stride(from: 0, to: events.count, by: 500) {
                let part = Array(events[start..<min(start + 500, events.count)])
                _ = try await database.store.log.append(tenant.id, part)
            }
            let projector = Projector(store: database.store) { Issue.record("\($0)") }
            await projector.drain()
            return Shop(database: database)
        }

        /// Recorded for the first order as the log takes it, and folded or parked.
        func report(_ type: String, _ data: String) async throws {
            let tenant = try await database.store.tenants.ensure("pizzeria")
            _ = try await database.store.log.append(
                tenant.id,
                [
                    NewEvent(
                        id: UUID().uuidString, source: "/shops/test", type: type,
                        activityID: ActivityID(rawValue: "order-1"),
                        occurredAt: Moment(unixSeconds: 1_800_000_000), data: Data(data.utf8))
                ])
            await Projector(store: database.store) { Issue.record("\($0)") }.drain()
        }

        func run(
            _ words: [String], in directory: ScratchDirectory,
            environment: [String: String] = [:]
        ) async throws -> IsletProgram.Result {
            try await IsletProgram.run(
                ["replay"] + words + store, in: directory, environment: environment)
        }
    }
}
