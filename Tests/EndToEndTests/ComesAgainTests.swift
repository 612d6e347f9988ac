import Domain
import EventStore
import Foundation
import Pipeline
import PostgresStore
import StoreTestSupport
import TestSupport
import Testing

/// An activity that was archived and dropped, and then reported again: the next archive has another
/// one of the same name.
struct `An activity that comes again once it was dropped` {
    @Test func `is read as two, one after the other, over both archives`() async throws {
        try await ReplayRunStage.with { stage in
            let tenant = try await stage.database.store.tenants.ensure("pizzeria")
            let archive = stage.directory.file("archive")
            try await foldLongAgo(stage)
            let archived = try await stage.islet([
                "archive", "--tenant", "pizzeria", "--to", archive, "--older-than-days", "30",
            ])
            #expect(archived.output.contains("Dropped 1 activity"), "\(archived)")
            let outcomes = try await stage.database.store.log.append(
                tenant.id,
                ["Ada", "Grace"].map { name in
                    NewEvent(
                        id: name, source: "/shops/test", type: "PizzaDelivery.DriverAssigned",
                        activityID: ActivityID(rawValue: "order-1"), occurredAt: .timeOfDay,
                        data: Data(#"{"driverName":"\#(name)"}"#.utf8))
                })
            #expect(
                outcomes == [
                    .recorded(position: 5, version: 1), .recorded(position: 6, version: 2),
                ])
            let rest = stage.directory.file("rest")
            let exported = try await stage.islet([
                "events", "export", "--tenant", "pizzeria", "--after", "4", "--to", rest,
            ])
            #expect(exported.code == 0, "\(exported.errors)")
            let both = ["--from", archive + "/events-1-4", "--from", rest]

            let shown = try await run(["replay", "show", "order-1"] + both, in: stage)
            #expect(shown.output.contains("v2") && shown.output.contains("Grace"), "\(shown)")
            #expect(!shown.output.contains("v3") && !shown.output.contains("Lovelace"))
            let why = try await run(["replay", "why", "order-1"] + both, in: stage)
            #expect(why.code == 0, "\(why.errors)")
            let verified = try await run(["replay", "verify"] + both, in: stage)
            #expect(verified.code == 0, "\(verified)")
            let trace = stage.directory.file("trace.ndjson")
            let traced = try await run(["replay", "trace", "--to", trace] + both, in: stage)
            #expect(traced.code == 0, "\(traced.errors)")
            let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == 7 && lines[5].contains(#""phase":"live""#), "\(lines)")
        }
    }

    /// As if it had been folded when it was recorded, and sent to all phones that there were.
    private func foldLongAgo(_ stage: ReplayRunStage) async throws {
        let projector = Projector(store: stage.database.store) {
            Issue.record("folding failed: \($0)")
        }
        await projector.drain()
        try await stage.database.alter(
            """
            UPDATE snapshot SET updated_at = '2025-06-16', due_at = NULL;
            UPDATE decision SET settled_at = now(), carried_by = version, accepted = 0, failed = 0
            WHERE settled_at IS NULL;
            """)
    }

    private func run(
        _ words: [String], in stage: ReplayRunStage
    ) async throws -> IsletProgram.Result {
        try await IsletProgram.run(words, in: stage.directory)
    }
}
