import Domain
import Foundation
import Projections
import PushDispatch
import Testing

/// A course that says only what matters, and one that tries a policy beside its own.
struct CourseTests {
    private func story(_ kind: KindProbe, _ seed: UInt64) throws -> Story {
        var facts = RandomFacts(seed: seed)
        var feed = LateFeed(seed: seed)
        return try feed.story(of: facts.events(of: kind, count: 25))
    }

    @Test(arguments: KindProbe.all, 0..<20)
    func `a terse course leaves out what is held back as unchanged, and nothing else`(
        kind: KindProbe, seed: UInt64
    ) throws {
        let events = try story(kind, 5200 + seed).events
        let first = try #require(events.first)
        let full = try Course.tested(first)
        let terse = try Course.tested(first)
        var machine = DispatchMachine()
        _ = machine.changed(full.first.own)
        for event in events.dropFirst() {
            let expected = try full.fold(event)
            let isTerse = machine.keepsNothingBack
            let changes = try event.inPlace {
                try terse.fold($0, under: .builtIn, trying: nil, isTerse: isTerse)
            }
            #expect(terse.contentState == expected.snapshot.contentState)
            #expect(terse.snapshot() == full.snapshot())
            let before = machine
            var decision = machine.changed(expected)
            if let changes {
                #expect(changes.own == expected)
            } else {
                #expect(machine == before)
                decision.staleAt = nil
                decision.relevanceScore = nil
                let unchanged = event.inPlace {
                    DispatchMachine.unchanged($0, terse.contentState, under: .builtIn)
                }
                #expect(decision == unchanged)
            }
        }
    }

    @Test(arguments: KindProbe.all)
    func `a course whose alerts nobody reads translated leaves out the translations alone`(
        kind: KindProbe
    ) throws {
        let events = try story(kind, 5900).events
        let first = try #require(events.first)
        let full = try Course.tested(first)
        let spare = try Course.tested(first, isTranslated: false)
        for event in events.dropFirst() {
            var expected = try full.fold(event)
            expected.alert?.translations = [:]
            #expect(try spare.fold(event) == expected)
        }
    }

    private func tried(_ changes: CourseChanges) -> FoldedChange? {
        switch changes.tried {
        case .none: return nil
        case .alike(let policy): return changes.own.under(policy)
        case .judged(let change): return change
        }
    }

    @Test(
        arguments: KindProbe.all,
        [
            PolicyDocument(thresholds: ["coalesceSeconds": 60, "budgetTokensCount": 2]),
            PolicyDocument(thresholds: ["newsAgeSeconds": 1, "restartBeforeLimitSeconds": 3600]),
            PolicyDocument(quietHours: .init(from: "00:00", to: "23:00", timeZone: "UTC")),
        ])
    func `a policy that is tried beside another gives what it gives alone`(
        kind: KindProbe, document: PolicyDocument
    ) throws {
        for seed: UInt64 in 0..<8 {
            let events = try story(kind, 6100 + seed).events
            let first = try #require(events.first)
            var book = PolicyBook()
            let policy = try ActivityCatalog.tested.policy(
                ofKind: kind.name, document, version: 1)
            // From the middle on, so that both judge alike before.
            book.add(policy, ofKind: kind.name, fromPosition: first.position + 8)
            let own = try Course.tested(first)
            let other = try Course.tested(first, under: book)
            let both = try Course.tested(first, trying: book)
            #expect(both.first.own == own.first.own)
            #expect(tried(both.first) == other.first.own)
            for event in events.dropFirst() {
                let changes = try event.inPlace {
                    try both.fold($0, under: .builtIn, trying: book, isTerse: false)
                }
                #expect(try own.fold(event) == changes?.own)
                #expect(try other.fold(event, under: book) == changes.flatMap(tried))
            }
        }
    }
}

extension Course {
    static func tested(
        _ first: RecordedEvent, under book: PolicyBook = .builtIn, trying tried: PolicyBook? = nil,
        isTranslated: Bool = true
    ) throws -> Course {
        try first.inPlace {
            try Course(
                $0, under: book, trying: tried, isTranslated: isTranslated, catalog: .tested)
        }
    }
}
