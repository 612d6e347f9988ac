import Domain
import Foundation
import TestSupport
import Testing

@testable import Projections

/// A kind with a standard of its own for each figure that all kinds have.
private enum HastyKind: ActivityKind {
    struct Attributes: CardAttributes {
        static let kind = "Hasty"

        struct ContentState: Codable, Hashable, Sendable {
            var level: Int
        }

        var activityID: String?
    }

    struct State: FoldedState {
        var level: Latest<Int>?
    }

    static let schemas: [EventSchema<StateChange<State>>] = [
        .init("Hasty.Rose", "It is higher.") { data in
            let level = try data.integer("level", in: 0...100)
            return StateChange { $0.level.offer(level, at: $1) }
        }
    ]

    static let thresholds = Threshold.common.map { $0.with(standard: $0.standard + 1) }
    static let rose = Rule("rose", .alert, "It is higher.")
    static let rules = [rose]

    static func phase(of state: State) -> Phase { .live }

    static func attributes(of state: State) -> Attributes { Attributes() }

    static func contentState(of state: State) -> Attributes.ContentState {
        Attributes.ContentState(level: state.level?.value ?? 0)
    }

    /// Never, so that nothing is due before fresh cards are.
    static func staleAt(of state: State, at recordedAt: Moment, under policy: Policy) -> Moment? {
        nil
    }

    static func assess(_ change: Change<HastyKind>) -> Assessment {
        change.assessment(rose, words: Words(title: .verbatim("Higher"), body: .verbatim("Up")))
    }
}

struct `A kind's own standard of a common figure` {
    private let catalog = ActivityCatalog(kinds: [HastyKind.self])
    private let recordedAt = Moment(unixSeconds: 1_800_000_000)

    /// - Parameter age: seconds from what happened to its report; less than 0 for a time to come.
    private func change(
        age: Double = 0, under book: PolicyBook = .builtIn
    ) throws -> FoldedChange {
        let event = NewEvent(
            id: "1", source: "/lift", type: "Hasty.Rose", activityID: ActivityID(rawValue: "a"),
            occurredAt: recordedAt.adding(seconds: -age), data: Data(#"{"level":1}"#.utf8))
        let recorded = RecordedEvent(
            tenant: TenantID(rawValue: 1), position: 1, version: 1, recordedAt: recordedAt,
            event: event)
        let change = try catalog.fold(recorded, into: nil, under: book)
        let state = try StateFold(recorded, under: book, catalog: catalog)
        #expect(state.snapshot().dueAt == change.snapshot.dueAt)
        return change
    }

    private func book(_ document: PolicyDocument) throws -> PolicyBook {
        var book = PolicyBook()
        book.add(
            try catalog.policy(ofKind: "Hasty", document, version: 1), ofKind: "Hasty",
            fromPosition: 1)
        return book
    }

    @Test func `counts in the fold and outside of it, for every such figure`() throws {
        let silent = try book(PolicyDocument(words: "keys"))
        for book in [PolicyBook.builtIn, silent] {
            let folded = try change(under: book).policy
            #expect(folded == book.policy(ofKind: "Hasty", at: 1, in: catalog))
            for common in Threshold.common {
                let own = HastyKind.own(common)
                #expect(own.standard == common.standard + 1 && folded[own] == own.standard)
                if HastyKind.ownStandards[common.name] != nil {
                    #expect(folded[common] == own.standard, "\(common.name)")
                }
            }
            #expect(folded.pace.standard == .init(tokens: 11, refillSeconds: 301))
            #expect(folded.pace.quiet == .init(tokens: 31, refillSeconds: 31))
            #expect(folded.pace.coalesceSeconds == 6 && folded.pace.budgetReserve == 3)
            #expect(folded.starts == .init(tokens: 9, refillSeconds: 901))
        }
        let all = Set(Threshold.common.map(\.name))
        #expect(
            all.subtracting(HastyKind.ownStandards.keys) == [
                "broadcastFromFollowersCount", "endGraceSeconds",
            ])
    }

    @Test func `says what is news, which time is believed and when fresh cards are due`() throws {
        #expect(try change(age: 901).silence == nil)
        #expect(try change(age: 902).silence == .late)
        #expect(try change(age: -121).occurredAt == recordedAt.adding(seconds: 121))
        #expect(try change(age: -122).occurredAt == recordedAt)
        // A second before its eight hours are over.
        #expect(try change().snapshot.dueAt == recordedAt.adding(seconds: 8 * 3600 - 1))
    }

    @Test func `gives way to a tenant's figure, and leaves other kinds theirs`() throws {
        let slow = try book(PolicyDocument(thresholds: ["newsAgeSeconds": 5000]))
        let change = try change(age: 4999, under: slow)
        #expect(change.silence == nil && change.policy[.clockSkew] == 121)
        #expect(change.policy.thresholds == ["newsAgeSeconds": 5000])
        for kind in ActivityCatalog.standard.kinds {
            #expect(PolicyBook.builtIn.policy(ofKind: kind.name, at: 1) == .builtIn)
        }
    }
}
