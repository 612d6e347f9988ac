import Domain
import EventLoop
import EventStore
import Foundation
import Glibc
import TestSupport
import Testing

/// `islet replay run` where the server takes less at a time than the export has, and where another
/// run was interrupted.
@Suite(.timeLimit(.minutes(5)))
struct `A story that is played under limits` {
    /// Orders with one event each.
    private static func orders(_ count: Int, dataBytes: Int) -> [ImportedEvent] {
        (1...count).map { number in
            ImportedEvent(
                recordedAt: ReplayRunStage.began,
                event: NewEvent(
                    id: "event-\(number)", source: "/shops/test",
                    type: "PizzaDelivery.OrderReady",
                    activityID: ActivityID(rawValue: "order-\(number)"),
                    occurredAt: ReplayRunStage.began,
                    data: Data(
                        #"{"note":"\#(String(repeating: "x", count: dataBytes))"}"#.utf8)))
        }
    }

    @Test func `sends fewer events at a time, and waits for the tenant's allowance`() async throws {
        try await ReplayRunStage.with(Self.orders(5, dataBytes: 1)) { stage in
            try await stage.playing(limits: ["--batch-events", "3", "--events", "1"]) { run in
                let start = ContinuousClock.now
                let played = try await IsletProgram.run(
                    run + ["--speed", "max"], in: stage.directory)
                let spent = ContinuousClock.now - start
                #expect(played.code == 0, "\(played.errors)")
                #expect(played.output.contains("Reported 5 events"))
                let ids = try await stage.copied().map(\.event.id)
                #expect(ids == (1...5).map { "event-\($0)" })
                // Two at once, and then one a second.
                #expect(spent > .seconds(2), "\(spent)")
            }
        }
    }

    @Test func `cuts up what is too large for one request`() async throws {
        try await ReplayRunStage.with(Self.orders(60, dataBytes: 30_000)) { stage in
            try await stage.playing { run in
                let played = try await IsletProgram.run(
                    run + ["--speed", "max"], in: stage.directory)
                #expect(played.code == 0, "\(played.errors)")
                let ids = try await stage.copied().map(\.event.id)
                #expect(ids == (1...60).map { "event-\($0)" })
            }
        }
    }

    @Test func `says at once that a server is away, and can begin at another one then`()
        async throws
    {
        try await ReplayRunStage.with { stage in
            try await stage.playing { run in
                let wrong = run.map { $0.hasPrefix("http://") ? "http://127.0.0.1:1" : $0 }
                let program = try await IsletProgram.start(wrong, in: stage.directory)
                let away = "http://127.0.0.1:1 is away: nothing listens there; trying for 60 s"
                try await waitUntil("it says so") { program.errors.contains(away) }
                await program.child.send(signal: SIGINT)
                let ended = await program.result()
                #expect(ended.code == 130)
                #expect(ended.errors.components(separatedBy: away).count == 2, "\(ended.errors)")
                #expect(FileManager.default.fileExists(atPath: stage.file + ".run"))
                let played = try await IsletProgram.run(
                    run + ["--speed", "max"], in: stage.directory)
                #expect(played.code == 0, "\(played.errors)")
                #expect(played.output.contains("Reported 4 events"))
            }
        }
    }

    @Test func `names the tenant that a refused import leaves`() async throws {
        var ahead = Self.orders(1, dataBytes: 1)
        ahead[0].recordedAt = Moment(unixSeconds: 4_000_000_000)
        try await ReplayRunStage.with(ahead) { stage in
            for isNew in [true, false] {
                let refused = try await stage.islet([
                    "events", "import", "--from", stage.file, "--tenant", "kept",
                ])
                #expect(refused.code == 1, "\(refused.output)")
                #expect(
                    refused.errors.contains("Tenant \"kept\" is new") == isNew,
                    "\(refused.errors)")
            }
        }
    }

    @Test func `goes on only with what was interrupted`() async throws {
        try await ReplayRunStage.with { stage in
            struct Manifest: Decodable {
                struct Segment: Decodable { var chain: String }
                var segments: [Segment]
            }
            let data = try Data(contentsOf: URL(filePath: stage.file + ".manifest.json"))
            let chain = try JSONDecoder().decode(Manifest.self, from: data).segments.last?.chain
            for (chain, isNew, reason) in [
                ("other", false, "is of a run of another export under this name; remove it"),
                (chain ?? "", true, "is of a run with --ids new --times moved; give the same, or"),
                ("", false, "is not what an earlier run has noted; remove it"),
            ] {
                let note = """
                    {"target": "http://127.0.0.1:1", "chain": "\(chain)", "hasNewIDs": \(isNew),
                     "movesTimes": true, "factor": 1, "position": 1, "mark": "m-"}
                    """
                try (chain.isEmpty ? "{}" : note).write(
                    toFile: stage.file + ".run", atomically: true, encoding: .utf8)
                let played = try await IsletProgram.run(
                    ["replay", "run", stage.file, "--to", "http://127.0.0.1:1"],
                    in: stage.directory, environment: ["ISLET_KEY": "none"])
                #expect(played.code == 1)
                #expect(played.errors.contains(reason), "\(played.errors)")
            }
        }
    }
}
