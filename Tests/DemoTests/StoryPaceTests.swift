import Domain
import JSON
import Terminal
import Testing

@testable import Demo

private let begin = Moment(unixSeconds: 1_800_000_000)

/// An event of the match "m", such as a feed reports.
private func event(_ type: String, _ data: JSON = [:]) -> JSON {
    ["type": .string("Match.\(type)"), "subject": "m", "data": data]
}

struct `The clock of a match that is played fast` {
    /// What the clock reads before each of these, by the seconds of the story: nil where nothing is
    /// said.
    private func readings(
        atSpeed speed: Double = 60, _ story: [(type: String, data: JSON, seconds: Double)]
    ) -> [JSON?] {
        var clock = MatchClock(speed: speed)
        return story.map { type, data, seconds in
            clock.reading(
                before: event(type, data), "Match.\(type)", atSeconds: seconds,
                begin.adding(seconds: seconds / speed))
        }
    }

    private func seconds(_ readings: [JSON?]) -> [Int64?] {
        readings.map { $0?["data"]?["clockSeconds"]?.wholeNumber }
    }

    @Test func `is announced before each report while it runs, in an event of its own`() throws {
        let found = readings([
            ("PeriodStarted", ["period": "firstHalf"], 100), ("GoalScored", [:], 160),
            ("CardShown", [:], 400.9),
        ])
        #expect(seconds(found) == [nil, 60, 300])
        let first = try #require(found[1])
        #expect(
            first == [
                "specversion": "1.0", "id": "m-reading-1", "source": "/islet/demo",
                "type": "Match.ClockAdjusted", "subject": "m",
                "time": .string(begin.adding(seconds: 160.0 / 60).rfc3339),
                "data": ["period": "firstHalf", "clockSeconds": .integer(60)],
            ])
        #expect(found[2]?["id"] == "m-reading-2")
    }

    @Test func `begins a period where that begins, or where the feed says it is`() {
        let found = readings([
            ("PeriodStarted", ["period": "secondHalf"], 0), ("GoalScored", [:], 10),
            ("ClockAdjusted", ["period": "secondHalf", "clockSeconds": .integer(3_000)], 20),
            ("GoalScored", [:], 30),
        ])
        #expect(seconds(found) == [nil, 45 * 60 + 10, nil, 3_010])
    }

    @Test(arguments: [
        "PeriodEnded", "PlaySuspended", "ShootoutStarted", "FullTimeReached", "MatchAbandoned",
    ])
    func `is not told while it stands`(end: String) {
        let found = readings([
            ("GoalScored", [:], 0), ("PeriodStarted", ["period": "firstHalf"], 10), (end, [:], 20),
            ("CardShown", [:], 30),
            ("PlayResumed", ["period": "firstHalf", "clockSeconds": .integer(15)], 40),
            ("CardShown", [:], 41),
        ])
        #expect(seconds(found) == [nil, nil, nil, nil, nil, 16])
    }

    @Test func `is not told at all at the pace of life`() {
        let found = readings(
            atSpeed: 1,
            [("PeriodStarted", ["period": "firstHalf"], 0), ("GoalScored", [:], 60)])
        #expect(seconds(found) == [nil, nil])
    }
}

struct `The pace of a story` {
    private func times(_ fixture: String, speed: Double) throws -> [String: Double] {
        let reports = Fixture.sideBySide(
            [try Fixture.load(fixture)], begin: begin, speed: speed)
        var times: [String: Double] = [:]
        for report in reports {
            let event = try JSONParser.parse(Array(report.cloudEvent))
            let time = try #require(event["time"]?.text.flatMap { Moment(rfc3339: $0) })
            times[try #require(event["id"]?.text)] = time.seconds(since: begin)
        }
        return times
    }

    @Test func `is that of a match for a match, and for an order its own`() throws {
        let slow = try times("harbour-derby", speed: 1)
        let fast = try times("harbour-derby", speed: 60)
        // The goal of 18:17:20, of a story that begins at 17:00.
        #expect(slow["derby-goal-1"] == 4_640)
        for (id, seconds) in slow {
            let hurried = try #require(fast[id])
            #expect(abs(hurried - seconds / 60) < 0.01, "\(id)")
        }
        #expect(
            try times("pizza-orders", speed: 60) == times("pizza-orders", speed: 1))
    }

    @Test func `keeps what comes late behind what came before it`() throws {
        let reports = Fixture.sideBySide(
            [try Fixture.load("adventures")], begin: begin, speed: 60)
        // The fourth tells of two minutes before the third, and of it the phones hear later.
        #expect(reports.map(\.seconds).prefix(5) == [0, 240, 420, 420, 600])
        let times = try times("adventures", speed: 60)
        #expect(times["adventure-1-3"] == 420 && times["adventure-1-4"] == 300)
    }

    @Test func `is one for all stories, which begin together and keep their own order`() throws {
        let names = ["coffee-orders", "bike-rides", "adventures"]
        let fixtures = try names.map { try Fixture.load($0) }
        let together = Fixture.sideBySide(fixtures, begin: begin, speed: 60)
        #expect(together.prefix(3).map(\.activity) == ["coffee-1", "bike-1", "adventure-1"])
        for fixture in fixtures {
            let alone = Fixture.sideBySide([fixture], begin: begin, speed: 60)
            let own = Set(alone.map(\.activity))
            let kept = together.filter { own.contains($0.activity) }
            #expect(kept.map(\.cloudEvent) == alone.map(\.cloudEvent))
        }
    }

    @Test func `needs its file, which is named`() {
        #expect(
            throws: CommandFailure.failed("the fixture nothing is missing beside the program")
        ) { try Fixture.load("nothing") }
    }
}
