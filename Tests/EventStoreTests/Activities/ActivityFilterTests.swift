import Domain
import EventStore
import TestSupport
import Testing

struct `A filter of activities` {
    private let now = Made.moment(1_000)

    @Test func `that asks for nothing fits all`() {
        for phase in Phase.allCases {
            #expect(ActivityFilter().fit(Made.snapshot(phase: phase), at: now) == .fits)
        }
    }

    /// A reader of changes has to hear that an activity fits no more, and of others nothing.
    @Test func `tells what fits no more from what never did`() {
        let live = Made.snapshot(
            facts: ActivityFacts(words: SearchWords("Argentina FRA", "2022")))
        #expect(ActivityFilter(kinds: ["Match"], phases: [.live]).fit(live, at: now) == .fits)
        #expect(ActivityFilter(phases: [.ended]).fit(live, at: now) == .fitsNoMore)
        #expect(ActivityFilter(isBlocked: true).fit(live, at: now) == .fitsNoMore)
        #expect(ActivityFilter(kinds: ["Pizza"]).fit(live, at: now) == .unrelated)
        #expect(
            ActivityFilter(kinds: ["Pizza"], phases: [.ended]).fit(live, at: now) == .unrelated)
        let words = ActivityFilter(phases: [.ended], words: SearchWords("fra", "2022"))
        #expect(words.fit(live, at: now) == .fitsNoMore)
        let others = ActivityFilter(words: SearchWords("fra", "2023"))
        #expect(others.fit(live, at: now) == .unrelated)
    }

    @Test func `goes by the moment at which somebody asks who is late`() {
        let order = Made.snapshot(facts: ActivityFacts(promisedAt: Made.moment(1_000)))
        for (second, isLate) in [(999, false), (1_000, false), (1_001, true)] {
            let moment = Made.moment(Int64(second))
            #expect(
                (ActivityFilter(isLate: true).fit(order, at: moment) == .fits) == isLate)
            #expect(
                (ActivityFilter(isLate: false).fit(order, at: moment) == .fits) == !isLate)
        }
    }

    @Test(
        arguments: [
            (899, nil, true), (900, nil, true), (901, nil, false), (901, 950, true),
            (950, 950, true), (951, 950, false), (900, 10, true), (901, 10, false),
        ] as [(Int64, Int64?, Bool)])
    func `counts the later of a change and of its being parked or released`(
        since: Int64, noticedAt: Int64?, fits: Bool
    ) {
        let filter = ActivityFilter(updatedSince: Made.moment(since))
        let fit = filter.fit(
            Made.snapshot(updatedAt: 900), noticedAt: noticedAt.map(Made.moment), at: now)
        #expect(fit == (fits ? .fits : .fitsNoMore))
    }

    @Test(arguments: 0..<300)
    func `of several conditions fits what each of them fits`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func flag() -> Bool { Bool.random(using: &generator) }
        let snapshot = Made.snapshot(
            kind: flag() ? "Match" : "Pizza", phase: flag() ? .live : .ended,
            updatedAt: flag() ? 900 : 990, blockage: flag() ? "no" : nil,
            facts: ActivityFacts(
                promisedAt: flag() ? Made.moment(flag() ? 500 : 5_000) : nil,
                words: SearchWords(flag() ? "ada" : "bo")))
        var whole = ActivityFilter()
        var parts: [ActivityFilter] = []
        func add(_ change: (inout ActivityFilter) -> Void) {
            guard flag() else { return }
            var part = ActivityFilter()
            change(&part)
            change(&whole)
            parts.append(part)
        }
        let isBlocked = flag()
        let isLate = flag()
        add { $0.kinds = ["Match"] }
        add { $0.phases = [.live, .scheduled] }
        add { $0.isBlocked = isBlocked }
        add { $0.isLate = isLate }
        add { $0.updatedSince = Made.moment(950) }
        add { $0.words = SearchWords("ada") }
        let each = parts.map { $0.fit(snapshot, at: now) }
        let expected: ActivityFilter.Fit =
            each.contains(.unrelated)
            ? .unrelated : each.contains(.fitsNoMore) ? .fitsNoMore : .fits
        #expect(whole.fit(snapshot, at: now) == expected)
    }
}
