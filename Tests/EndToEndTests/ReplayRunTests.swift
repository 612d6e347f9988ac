import Domain
import EventLoop
import EventStore
import Foundation
import Glibc
import TestSupport
import Testing

/// `islet events export`, `events import` and `replay run`: what was recorded once happens again
/// elsewhere.
@Suite(.timeLimit(.minutes(5)))
struct `A story that is played again` {
    @Test func `keeps its order and its pace, begins now, and can be played as new`() async throws {
        try await ReplayRunStage.with { stage in
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
                #expect(
                    events.map(\.event.type) == ReplayRunStage.steps.map { "PizzaDelivery.\($0.0)" }
                )
                let times = events.map(\.event.occurredAt)
                let first = try #require(times.first)
                #expect(times.map { $0.seconds(since: first) } == [0, 0.5, 1, 1.5])
                #expect(abs(first.date.timeIntervalSinceNow) < 60)
                // Times within the events move along.
                let json = try JSONSerialization.jsonObject(with: events[0].event.data)
                let text = (json as? [String: Any])?["estimatedAt"] as? String
                let estimate = try #require(text.flatMap { Moment(rfc3339: $0) })
                // Half an hour at sixty times the pace.
                #expect(estimate.seconds(since: first) == 30)
                // And so each has happened when it is recorded.
                for event in events {
                    #expect(abs(event.recordedAt.seconds(since: event.event.occurredAt)) < 10)
                }
                let twice = try await IsletProgram.run(
                    run + ["--speed", "max"], in: stage.directory)
                #expect(twice.code == 1)
                #expect(
                    twice.errors.contains("other content. The first of 4 errors. Its ids are"))
                #expect(twice.errors.contains("give --ids new to report the story as"))
                #expect(twice.errors.contains("or --times same if its times"))
                let again = try await IsletProgram.run(
                    run + ["--speed", "max", "--ids", "new"], in: stage.directory)
                #expect(again.code == 0, "\(again.errors)")
                // In an activity of its own, since the first one has ended.
                let recorded = try await stage.copied().dropFirst(4)
                let copies = recorded.map(\.event)
                #expect(copies.count == 4)
                // It ends now, as far apart as it was, and nothing of it lies ahead.
                let last = try #require(recorded.last)
                #expect(abs(last.recordedAt.seconds(since: last.event.occurredAt)) < 10)
                #expect(
                    copies.map { last.event.occurredAt.seconds(since: $0.occurredAt) }
                        == [90, 60, 30, 0])
                #expect(recorded.allSatisfy { $0.event.occurredAt <= $0.recordedAt })
                let mark = copies.first?.id.prefix(9) ?? ""
                #expect(copies.map(\.id) == (0..<4).map { mark + "step-\($0)" })
                #expect(Set(copies.map(\.activityID.rawValue)) == ["\(mark)order-1"])
                #expect(again.output.hasSuffix("begin with \(mark).\n"), "\(again.output)")
            }
        }
    }

    @Test func `goes on where Ctrl-C ended it, with the same ids and times`() async throws {
        try await ReplayRunStage.with { stage in
            try await stage.playing { run in
                let words = run + ["--ids", "new", "--speed", "6x"]
                let program = try await IsletProgram.start(words, in: stage.directory)
                var events: [RecordedEvent] = []
                try await waitUntil("an event is recorded") {
                    events = try await stage.copied()
                    return !events.isEmpty
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
                // By which what is still to come would lie ahead.
                let faster = try await IsletProgram.run(
                    run + ["--ids", "new", "--speed", "max"], in: stage.directory)
                #expect(faster.errors.contains("at --speed 6.0x, by which its times were moved"))
                let rest = try await IsletProgram.run(words, in: stage.directory)
                #expect(rest.output.contains("Reported 3 events"), "\(rest.errors)")
                events = try await stage.copied()
                #expect(events.map(\.version) == [1, 2, 3, 4])
                #expect(Set(events.map { $0.event.id.prefix(8) }).count == 1)
                let first = try #require(events.first?.event.occurredAt)
                let gaps = events.map { $0.event.occurredAt.seconds(since: first) }
                #expect(gaps == [0, 5, 10, 15])
                #expect(!FileManager.default.fileExists(atPath: stage.file + ".run"))
            }
        }
    }

    @Test func `is exported and imported under the names of replaying`() async throws {
        try await ReplayRunStage.with { stage in
            let imported = try await stage.islet([
                "events", "import", "--from", stage.file, "--tenant", "kept",
            ])
            #expect(imported.code == 0, "\(imported.errors)")
            #expect(imported.errors.contains("Tenant \"kept\" is new"), "\(imported.errors)")
            #expect(try await stage.copied("kept").map(\.recordedAt).first == ReplayRunStage.began)
            let since = stage.directory.file("since")
            let part = try await stage.islet([
                "events", "export", "--since", ReplayRunStage.began.adding(seconds: 45).rfc3339,
                "--to", since,
                "--tenant", "pizzeria",
            ])
            #expect(part.output.contains("Exported 2 events"), "\(part.errors)")
            let unknown = try await stage.islet([
                "events", "export", "--activity", "ordre-1", "--to", since + "2", "--tenant",
                "pizzeria",
            ])
            #expect(unknown.code == 1)
            #expect(unknown.errors.contains("did you mean order-1?"), "\(unknown.errors)")
            #expect(!FileManager.default.fileExists(atPath: since + "2"))
            // A job that runs every night may find nothing new, but nobody means another log.
            for (option, position, isThere) in [
                ("--after", "4", true), ("--since", "5", true), ("--after", "5", false),
                ("--since", "6", false),
            ] {
                let place = since + option + position
                let rest = try await stage.islet([
                    "events", "export", "--to", place, "--tenant", "pizzeria", option, position,
                ])
                #expect(rest.code == (isThere ? 0 : 1), "\(rest.errors)")
                #expect(rest.output.contains("Exported 0 events") == isThere)
                #expect(rest.errors.contains("\(option) lies beyond") != isThere)
                #expect(FileManager.default.fileExists(atPath: place) == isThere)
            }
            let text = try String(contentsOfFile: stage.file, encoding: .utf8)
            try String(text.dropLast(9)).write(
                toFile: stage.file, atomically: true, encoding: .utf8)
            let cut = try await stage.islet([
                "events", "import", "--from", stage.file, "--tenant", "cut",
            ])
            #expect(cut.code == 1)
            #expect(cut.errors.contains("bytes, the manifest says"), "\(cut.errors)")
            #expect(!cut.errors.contains("is new"), "\(cut.errors)")
            let played = try await IsletProgram.run(
                ["replay", "run", stage.file, "--to", "http://127.0.0.1:1"],
                in: stage.directory, environment: ["ISLET_KEY": "none"])
            #expect(played.code == 1)
            #expect(played.errors.contains("bytes, the manifest says"), "\(played.errors)")
        }
    }
}
