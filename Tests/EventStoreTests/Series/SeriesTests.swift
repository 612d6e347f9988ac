import Domain
import TestSupport
import Testing

@testable import EventStore

struct `Figures of a minute` {
    @Test func `add up, and of the lag the worst counts`() {
        var counts = SeriesCounts(["events": 3, "lagMillis": 40])
        counts.add(SeriesCounts(["events": 4, "lagMillis": 15, "alerts": 2]))
        counts.add(0, "begun")
        #expect(counts.amounts == ["events": 7, "lagMillis": 40, "alerts": 2])
        #expect(counts["begun"] == 0)
        counts.add(50, SeriesCounts.lag)
        #expect(counts[SeriesCounts.lag] == 50)
    }

    @Test(arguments: 0..<50)
    func `are the same in whatever order nodes write them`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let names = ["events", "alerts", "lagMillis", "answer:accepted", "latency:7"]
        let parts = (0..<6).map { _ in
            SeriesCounts(
                Dictionary(
                    uniqueKeysWithValues: names.map {
                        ($0, Int64.random(in: 1...1_000, using: &generator))
                    }))
        }
        func sum(_ parts: [SeriesCounts]) -> SeriesCounts {
            parts.reduce(into: SeriesCounts()) { $0.add($1) }
        }
        let shuffled = parts.shuffled(using: &generator)
        #expect(sum(parts) == sum(shuffled))
    }

    @Test func `are found by the beginning of their names`() {
        let counts = SeriesCounts(["answer:accepted": 2, "answer:": 1, "answers": 9, "events": 3])
        #expect(counts.family(SeriesCounts.answerPrefix) == ["accepted": 2, "": 1])
        #expect(counts.family("verdict:") == [:])
    }

    @Test(arguments: 0..<50)
    func `count a latency in a step that is at most a quarter longer`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var last = 0
        for _ in 0..<100 {
            let most = Bool.random(using: &generator) ? 7_000 : 0.01
            let seconds = Double.random(in: 0...most, using: &generator)
            let step = LatencySteps.step(of: seconds)
            #expect(LatencySteps.seconds(upTo: step) >= seconds)
            #expect(step == 0 || LatencySteps.seconds(upTo: step - 1) < seconds)
            var counts = SeriesCounts()
            counts.add(latencySeconds: seconds)
            #expect(counts.latency(share: 0.5) == LatencySteps.seconds(upTo: step))
            last = max(last, step)
        }
        #expect(last < 72)
    }

    @Test func `have the latency of so many pushes as are asked for`() {
        var counts = SeriesCounts()
        counts.add(90, latencySeconds: 0.001)
        counts.add(9, latencySeconds: 1)
        counts.add(1, latencySeconds: 60)
        let (short, long) = (LatencySteps.step(of: 1), LatencySteps.step(of: 60))
        #expect(counts.latency(share: 0) == 0.001)
        #expect(counts.latency(share: 0.9) == 0.001)
        #expect(counts.latency(share: 0.91) == LatencySteps.seconds(upTo: short))
        #expect(counts.latency(share: 0.99) == LatencySteps.seconds(upTo: short))
        #expect(counts.latency(share: 1) == LatencySteps.seconds(upTo: long))
    }
}

struct `What a node counts` {
    private let counter = SeriesCounter(now: { Made.moment(6_030) })

    /// Of the minute of that moment, in which all of this happens.
    private func taken() throws -> SeriesCounts {
        let rows = counter.take()
        try #require(rows.count == 1)
        #expect(rows[0].tenant == Made.tenant)
        #expect(rows[0].minute == Made.moment(6_000))
        return rows[0].counts
    }

    @Test func `goes into the minute in which it happens`() {
        for second: Int64 in [59, 60, 119, 120] {
            counter.note(Made.tenant, at: Made.moment(second)) { $0.add(1, SeriesCounts.events) }
        }
        counter.note(TenantID(rawValue: 2), at: Made.moment(60)) { $0.add(5, "events") }
        let rows = counter.take().filter { $0.tenant == Made.tenant }
        let minutes = Dictionary(
            uniqueKeysWithValues: rows.map { ($0.minute.unixSeconds, $0.counts["events"]) })
        #expect(minutes == [0: 1, 60: 2, 120: 1])
        let left = counter.take()
        #expect(left.isEmpty)
    }

    @Test func `of a fold are its events, alerts and verdicts, and who kept a promise`() throws {
        let promise = ActivityFacts(
            promisedAt: Made.moment(1_000), actualAt: Made.moment(1_000))
        let broken = ActivityFacts(
            promisedAt: Made.moment(1_000), actualAt: Made.moment(1_001))
        let batch = FoldBatch(
            tenant: Made.tenant,
            events: [
                Made.event(1, "a"), Made.event(2, "b"), Made.event(3, "a", version: 2),
            ],
            snapshots: [ActivityID(rawValue: "e"): Made.snapshot("e", phase: .ended)])
        let outcome = FoldResult(
            snapshots: [
                Made.snapshot("a", phase: .ended, facts: promise),
                Made.snapshot("b", phase: .ended, facts: broken),
                Made.snapshot("c", phase: .live, facts: promise),
                Made.snapshot("d", phase: .ended),
                // It had ended before.
                Made.snapshot("e", phase: .ended, facts: promise),
            ],
            decisions: [
                Made.decision(1, .alert, alert: Alert(title: "a", body: "b")),
                Made.decision(2, .hold),
                Made.decision(3, .end, alert: Alert(title: "a", body: "b")),
            ], parked: [])
        counter.folded(FoldedBatch(batch) { _ in outcome })
        #expect(
            try taken().amounts == [
                "events": 3, "begun": 2, "alerts": 2, "verdict:alert": 1, "verdict:hold": 1,
                "verdict:end": 1, "measured": 2, "onTime": 1,
            ])
    }

    @Test func `of pushes is what APNs said, and how long those took that were not late`() throws {
        let claim = Made.claim(pending: [Made.decision(3, decidedAt: 6_028)])
        func result(
            _ effect: PhoneResult.Effect, wasCovered: Bool = false
        ) -> PhoneResult {
            PhoneResult(
                registrationID: 1, tokenVersion: 1, effect: effect,
                wasCoveredByEarlierPush: wasCovered)
        }
        let long = String(repeating: "x", count: 100)
        let results = [
            result(.accepted(version: 3)), result(.accepted(version: 3)),
            // An owed phone's: what it had missed is older.
            result(.accepted(version: 2)),
            result(.accepted(version: 3), wasCovered: true),
            result(.unfit(reason: "BadDeviceToken")),
            result(.retry(at: Made.moment(7_000), reason: long)),
            result(.dead(reason: "Unregistered", since: nil, retryAt: Made.moment(7_000))),
        ]
        counter.recorded(results, of: claim)
        let counts = try taken()
        #expect(
            counts.family(SeriesCounts.answerPrefix) == [
                "accepted": 3, "BadDeviceToken": 1, String(repeating: "x", count: 40): 1,
                "Unregistered": 1,
            ])
        #expect(
            counts.family(SeriesCounts.latencyPrefix) == ["\(LatencySteps.step(of: 2))": 2])
    }
}
