import DeliveryRules
import Domain
import Foundation
import Projections
import Testing

/// A fold that says only what matters, and what two policies make of the same events.
struct AssessingFoldTests {
    private func story(_ kind: KindProbe, _ seed: UInt64) throws -> Story {
        var facts = RandomFacts(seed: seed)
        var feed = LateFeed(seed: seed)
        return try feed.story(of: facts.events(of: kind, count: 25))
    }

    @Test(arguments: KindProbe.all, 0..<20)
    func `a skipping fold leaves out what is held as unchanged, and nothing else`(
        kind: KindProbe, seed: UInt64
    ) throws {
        try expectSkippingLosesNothing(of: try story(kind, 5200 + seed).events)
    }

    @Test func `a skipping fold lets reports through that keep cards from going stale`() throws {
        var story = Story()
        try story.tell(
            "Match.MatchScheduled", at: -60,
            """
            {"competition":"Cup","homeTeam":"Reds","awayTeam":"Blues","kickoff":"\(Story.time(0))"}
            """
        )
        try story.tell("Match.PeriodStarted", at: 0, #"{"period":"firstHalf"}"#)
        for minute in 1...44 {
            try story.tell(
                "Match.PlayerSubstituted", at: Double(minute),
                #"{"team":"home","playerOn":"Cy \#(minute)","playerOff":"Ada"}"#)
        }
        let pushed = try expectSkippingLosesNothing(of: story.events).filter(\.verdict.pushes)
        #expect(pushed.map(\.rule) == ["scheduled", "kickOff", "fresh"])
        #expect(pushed.last?.verdict == .quiet)
    }

    @Test func `a fold that skips what is unchanged lets changes of attributes through`() throws {
        var story = Story()
        for (minute, home) in [(-60.0, "Reds"), (-50.0, "Greens")] {
            try story.tell(
                "Match.MatchScheduled", at: minute,
                """
                {"competition":"Cup","homeTeam":"\(home)","awayTeam":"Blues",
                "kickoff":"\(Story.time(0))"}
                """)
        }
        let decisions = try expectSkippingLosesNothing(of: story.events)
        #expect(decisions.map(\.rule) == ["scheduled", Decision.attributesRule])
    }

    /// - Returns: the decisions of a fold that skips nothing.
    @discardableResult
    private func expectSkippingLosesNothing(of events: [RecordedEvent]) throws -> [Decision] {
        var decisions: [Decision] = []
        let full = try AssessingFold.tested(events)
        let skipping = try AssessingFold.tested(events)
        var machine = DispatchMachine()
        for event in events {
            let expected = try full.fold(recorded: event)
            let skipsUnchanged = event.recordedAt < machine.skipsUnchangedUntil
            let change = try event.withBorrowedEvent {
                try skipping.fold($0, under: .builtIn, skipsUnchanged: skipsUnchanged)
            }
            #expect(skipping.snapshot() == full.snapshot())
            let before = machine
            var decision = machine.decide(about: expected)
            decisions.append(decision)
            if let change {
                #expect(change == expected)
            } else {
                #expect(machine == before)
                decision.staleAt = nil
                decision.relevanceScore = nil
                let unchanged = event.withBorrowedEvent {
                    DispatchMachine.unchanged($0, expected.snapshot.contentState, under: .builtIn)
                }
                #expect(decision == unchanged)
            }
        }
        return decisions
    }

    @Test(arguments: KindProbe.all)
    func `a fold whose alerts nobody reads translated leaves out the translations alone`(
        kind: KindProbe
    ) throws {
        let events = try story(kind, 5900).events
        let full = try AssessingFold.tested(events)
        let spare = try AssessingFold.tested(events, isTranslated: false)
        for event in events {
            var expected = try full.fold(recorded: event)
            expected.alert?.translations = [:]
            for index in expected.amendments.indices {
                expected.amendments[index].alert.translations = [:]
            }
            #expect(try spare.fold(recorded: event) == expected)
        }
    }

    @Test(
        arguments: KindProbe.all,
        [
            (PolicyDocument(thresholds: ["coalesceSeconds": 60, "budgetTokensCount": 2]), true),
            (PolicyDocument(thresholds: ["newsAgeSeconds": 1]), false),
            (PolicyDocument(thresholds: ["restartBeforeLimitSeconds": 3600]), false),
            (PolicyDocument(thresholds: ["clockSkewSeconds": 86_400]), false),
            (
                PolicyDocument(
                    quietHours: .init(from: "00:00", to: "23:00", timeZone: "UTC")), false
            ),
        ])
    func `what two policies judge alike is folded once for both`(
        kind: KindProbe, trial: (document: PolicyDocument, isAlike: Bool)
    ) throws {
        for seed: UInt64 in 0..<8 {
            let events = try story(kind, 6100 + seed).events
            var book = PolicyBook()
            let policy = try ActivityCatalog.tested.policy(
                ofKind: kind.name, trial.document, version: 1)
            book.add(policy, ofKind: kind.name, fromPosition: 8)
            #expect(PolicyBook.builtIn.judgesAlike(book, ofKind: kind.name) == trial.isAlike)
            guard trial.isAlike else { continue }
            let own = try AssessingFold.tested(events)
            let other = try AssessingFold.tested(events)
            for event in events {
                var change = try own.fold(recorded: event)
                change.policy = book.policy(ofKind: kind.name, at: event.position)
                #expect(try other.fold(recorded: event, under: book) == change)
            }
        }
    }
}

extension AssessingFold {
    /// Before the first of some events.
    static func tested(
        _ events: [RecordedEvent], isTranslated: Bool = true
    ) throws -> AssessingFold {
        try #require(events.first).withBorrowedEvent {
            try AssessingFold(.first($0), isTranslated: isTranslated, catalog: .tested)
        }
    }

    func fold(
        recorded: RecordedEvent, under book: PolicyBook = .builtIn
    ) throws -> FoldedChange { try recorded.withBorrowedEvent { try fold($0, under: book) } }
}
