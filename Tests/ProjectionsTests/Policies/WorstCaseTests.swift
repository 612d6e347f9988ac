import Domain
import Projections
import Synchronization
import Testing

/// A kind that counts what is folded into it.
private enum CountedKind: ActivityKind {
    struct Attributes: CardAttributes {
        static let kind = "Counted"

        struct ContentState: Codable, Hashable, Sendable {
            var isDone: Bool
        }

        var activityID: String?
    }

    struct State: FoldedState {
        var isDone = false
    }

    static let folded = Atomic(0)

    static let schemas: [EventSchema<StateChange<State>>] = [
        .init("Counted.Done", "It is done.") { _ in
            StateChange { state, _ in
                CountedKind.folded.add(1, ordering: .relaxed)
                state.isDone = true
            }
        }
    ]

    static func phase(of state: State) -> Phase { state.isDone ? .ended : .live }

    static func attributes(of state: State) -> Attributes { Attributes() }

    static func contentState(of state: State) -> Attributes.ContentState {
        Attributes.ContentState(isDone: state.isDone)
    }
}

struct WorstCaseTests {
    @Test func `what a kind's pushes can take at most is found once, not for each policy`() throws {
        let catalog = ActivityCatalog(kinds: [CountedKind.self])
        let document = PolicyDocument(texts: ["de": [:]])
        _ = try catalog.newPolicy(ofKind: "Counted", document)
        let count = CountedKind.folded.load(ordering: .relaxed)
        #expect(count > 0)
        _ = try catalog.newPolicy(ofKind: "Counted", document)
        #expect(CountedKind.folded.load(ordering: .relaxed) == count)
    }
}
