import Domain
import EventLoop
import EventStore
import Foundation
import Glibc
import TestSupport
import Testing

private let began = Moment(unixSeconds: 1_750_000_000)
private let steps = [
    ("OrderAccepted", #"{"estimatedAt":"2025-06-15T15:36:40Z"}"#),
    ("DriverAssigned", #"{"driverName":"Ada Lovelace"}"#), ("OrderPickedUp", "{}"),
    ("OrderDelivered", "{}"),
]

/// `islet replay export`, `import` and `run`: what was recorded once happens again elsewhere.
@Suite(.timeLimit(.minutes(5)))
struct `A story that is played again` {
    /// A log of one order with half a minute between its events, and an empty one beside it.
    private struct Stage {
        let database: TestDatabase
        let directory: ScratchDirectory
        let file: String
        var store: [String] { ["--database-url", database.url] }

        static func with(_ body: (Stage) async throws -> Void) async throws {
            let database = try await TestDatabase.make()
            let tenant = try await database.store.tenants.ensure("pizzeria")
            let events = steps.enumerated().map { index, step in
                let moment = began.adding(seconds: Double(index) * 30)
                return ImportedEvent(
                    recordedAt: moment,
                    event: NewEvent(
                        id: "step-\(index)", source: "/shops/test",
                        type: "PizzaDelivery.\(step.0)",
                        activityID: ActivityID(rawValue: "order-1"), occurredAt: moment,
                        data: Data(step.1.utf8)))
            }
            _ = try await EventImport.postgres(database.pool).record(tenant.id, events)
            try await ScratchDirectory.with { directory in
                let stage = Stage(
                    database: database, directory: directory,
                    file: directory.file("order-1.ndjson"))
                let exported = try await stage.islet(["export", "order-1", "--to", stage.file])
                try #require(exported.code == 0, "\(exported.errors)")
                try await body(stage)
            }
        }

        func islet(_ words: [String]) async throws -> IsletProgram.Result {
            try await IsletProgram.run(["replay"] + words + store, in: directory)
        }

        /// Where it is played: another tenant of the same service.
        func playing(
            _ body: (_ words: [String]) async throws -> Void
        ) async throws {
            let created = try await IsletProgram.run(
                ["keys", "create", "--tenant", "copy"] + store, in: directory)
            let keyFile = directory.file("key")
            try created.output.write(toFile: keyFile, atomically: true, encoding: .utf8)
            _ = chmod(keyFile, 0o600)
            try await RunningServer.with(store, in: directory) { server in
                try await body([
                    "replay", "run", file, "--to", "http://127.0.0.1:\(server.port)",
                    "--key-file", keyFile,
                ])
            }
        }

        func copied(_ tenant: String = "copy") async throws -> [RecordedEvent] {
            let tenant = try await database.store.tenants.ensure(tenant)
            return try await database.store.log.read(tenant.id, 0, 100)
                .filter { $0.event.source != ActivityClock.source }
        }
    }

    @Test func `keeps its order and its pace, begins now, and can be played as new`() async throws {
        try await Stage.with { stage in
            try await stage.playing { run in
                let start = ContinuousClock.now
                let played = try await IsletProgram.run(
                    run + ["--speed", "60x"], in: stage.directory)
                let spent = ContinuousClock.now - start
                #expect(played.code == 0, "\(played.errors)")
                #expect(played.output.contains("Reported 4 events"))
                // 90 seconds at sixty times the pace.
                #expect(spent > .seconds(1.4), "\(spent)")
                let events = try await stage.copied()
                #expect(events.map(\.event.id) == (0..<4).map { "step-\($0)" })
                #expect(events.map(\.event.type) == steps.map { "PizzaDelivery.\($0.0)" })
                let times = events.map(\.event.occurredAt)
                let first = try #require(times.first)
                #expect(times.map { $0.seconds(since: first) } == [0, 30, 60, 90])
                #expect(abs(first.date.timeIntervalSinceNow) < 60)
                // Times within the events move along.
                let json = try JSONSerialization.jsonObject(with: events[0].event.data)
                let text = (json as? [String: Any])?["estimatedAt"] as? String
                let estimate = try #require(text.flatMap { Moment(rfc3339: $0) })
                #expect(estimate.seconds(since: first) == 1800)
                let again = try await IsletProgram.run(
                    run + ["--speed", "max", "--ids", "new"], in: stage.directory)
                #expect(again.code == 0, "\(again.errors)")
                let ids = try await stage.copied().dropFirst(4).map(\.event.id)
                #expect(ids.count == 4)
                for (index, id) in ids.enumerated() { #expect(id.hasSuffix("-step-\(index)")) }
                #expect(Set(ids.map { $0.prefix(8) }).count == 1)
            }
        }
    }

    @Test func `goes on where Ctrl-C ended it, with the same ids and times`() async throws {
        try await Stage.with { stage in
            try await stage.playing { run in
                let words = run + ["--ids", "new"]
                let program = try await IsletProgram.start(words, in: stage.directory)
                var events: [RecordedEvent] = []
                for _ in 0..<200 where events.isEmpty {
                    try await Task.sleep(for: .milliseconds(50))
                    events = try await stage.copied()
                }
                #expect(events.count == 1)
                // The answer has to get there before it is written down.
                try await waitUntil("the place is noted") {
                    (try? String(contentsOfFile: stage.file + ".run", encoding: .utf8))?
                        .contains(#""position":1"#) ?? false
                }
                await program.child.send(signal: SIGINT)
                let ended = await program.result()
                #expect(ended.code == 130)
                #expect(ended.errors.contains("after position 1"), "\(ended.errors)")
                let rest = try await IsletProgram.run(
                    words + ["--speed", "max"], in: stage.directory)
                #expect(rest.output.contains("Reported 3 events"), "\(rest.errors)")
                events = try await stage.copied()
                #expect(events.map(\.version) == [1, 2, 3, 4])
                #expect(Set(events.map { $0.event.id.prefix(8) }).count == 1)
                let first = try #require(events.first?.event.occurredAt)
                let gaps = events.map { $0.event.occurredAt.seconds(since: first) }
                #expect(gaps == [0, 30, 60, 90])
                #expect(!FileManager.default.fileExists(atPath: stage.file + ".run"))
            }
        }
    }

    @Test func `is exported and imported under the names of replaying`() async throws {
        try await Stage.with { stage in
            let imported = try await stage.islet(["import", stage.file, "--tenant", "kept"])
            #expect(imported.code == 0, "\(imported.errors)")
            #expect(try await stage.copied("kept").map(\.recordedAt).first == began)
            let since = stage.directory.file("since")
            let part = try await stage.islet([
                "export", "--since", began.adding(seconds: 45).rfc3339, "--to", since,
                "--tenant", "pizzeria",
            ])
            #expect(part.output.contains("Exported 2 events"), "\(part.errors)")
            let unknown = try await stage.islet([
                "export", "ordre-1", "--to", since + "2", "--tenant", "pizzeria",
            ])
            #expect(unknown.code == 1)
            #expect(unknown.errors.contains("did you mean order-1?"), "\(unknown.errors)")
            #expect(!FileManager.default.fileExists(atPath: since + "2"))
            let text = try String(contentsOfFile: stage.file, encoding: .utf8)
            try String(text.dropLast(9)).write(
                toFile: stage.file, atomically: true, encoding: .utf8)
            let cut = try await stage.islet(["import", stage.file, "--tenant", "cut"])
            #expect(cut.code == 1)
            #expect(cut.errors.contains("bytes, the manifest says"), "\(cut.errors)")
            let played = try await IsletProgram.run(
                ["replay", "run", stage.file, "--to", "http://127.0.0.1:1"],
                in: stage.directory, environment: ["ISLET_KEY": "none"])
            #expect(played.code == 1)
            #expect(played.errors.contains("bytes, the manifest says"), "\(played.errors)")
        }
    }
}
