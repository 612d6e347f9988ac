import Domain
import EventStore
import Foundation
import Glibc
import PostgresStore
import TestSupport
import Testing

/// A log that was exported to a file, and an empty one beside it.
struct ReplayRunStage {
    static let began = Moment(unixSeconds: 1_750_000_000)
    static let steps = [
        ("OrderAccepted", #"{"estimatedAt":"2025-06-15T15:36:40Z"}"#),
        ("DriverAssigned", #"{"driverName":"Ada Lovelace"}"#), ("OrderPickedUp", "{}"),
        ("OrderDelivered", "{}"),
    ]

    /// One order with half a minute between its events.
    private static var order: [ImportedEvent] {
        steps.enumerated().map { index, step in
            let moment = began.adding(seconds: Double(index) * 30)
            return ImportedEvent(
                recordedAt: moment,
                event: NewEvent(
                    id: "step-\(index)", source: "/shops/test", type: "PizzaDelivery.\(step.0)",
                    activityID: ActivityID(rawValue: "order-1"), occurredAt: moment,
                    data: Data(step.1.utf8)))
        }
    }

    let database: TestDatabase
    let directory: ScratchDirectory
    let file: String
    var store: [String] { ["--database-url", database.url] }

    /// - Parameter events: nil for those of one order.
    static func with(
        _ events: [ImportedEvent]? = nil, _ body: (ReplayRunStage) async throws -> Void
    ) async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("pizzeria")
        _ = try await EventImport.postgres(database.pool).record(tenant.id, events ?? order)
        try await ScratchDirectory.with { directory in
            let stage = ReplayRunStage(
                database: database, directory: directory, file: directory.file("log.ndjson"))
            let exported = try await stage.islet([
                "events", "export", "--to", stage.file, "--tenant", "pizzeria",
            ])
            try #require(exported.code == 0, "\(exported.errors)")
            try await body(stage)
        }
    }

    func islet(_ words: [String]) async throws -> IsletProgram.Result {
        try await IsletProgram.run(words + store, in: directory)
    }

    /// Where it is played: another tenant of the same service.
    /// - Parameter limits: what that may use, as options; empty for what the node allows.
    func playing(
        limits: [String] = [], _ body: (_ words: [String]) async throws -> Void
    ) async throws {
        let created = try await islet(["keys", "create", "--tenant", "copy"])
        if !limits.isEmpty {
            let limited = try await islet(["tenants", "limits", "copy"] + limits)
            try #require(limited.code == 0, "\(limited.errors)")
        }
        let keyFile = directory.file("key")
        try created.output.write(toFile: keyFile, atomically: true, encoding: .utf8)
        _ = chmod(keyFile, 0o600)
        try await RunningServer.with(store, in: directory) { server in
            try await body([
                "replay", "run", file, "--to", "http://127.0.0.1:\(server.port)", "--key-file",
                keyFile,
            ])
        }
    }

    func copied(_ tenant: String = "copy") async throws -> [RecordedEvent] {
        let tenant = try await database.store.tenants.ensure(tenant)
        return try await database.store.log.read(tenant.id, 0, 100)
            .filter { $0.event.source != ActivityClock.source }
    }
}
