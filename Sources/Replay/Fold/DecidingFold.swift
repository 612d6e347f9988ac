import Domain
import Foundation
import JSON
import Projections
import PushDispatch

/// One activity folded again, and decided about again if that is wanted.
final class DecidingFold {
    private enum Content {
        case states(Refold)
        case decisions(Course)
    }

    /// What is decided about an event.
    enum Outcome {
        /// It decides nothing.
        case nothing
        case unchanged(Unchanged)
        // Apart, as it is large, and most events decide nothing new.
        indirect case decided(Decision)

        func decision(about event: EventInPlace) -> Decision? {
            switch self {
            case .nothing: nil
            case .unchanged(let unchanged): unchanged.decision(about: event)
            case .decided(let decision): decision
            }
        }
    }

    /// An event that changes nothing that phones show, of which that is known without deciding.
    struct Unchanged {
        let contentState: Data
        let policy: Policy

        func decision(about event: EventInPlace) -> Decision {
            DispatchMachine.unchanged(event, contentState, under: policy)
        }
    }

    private let content: Content
    private var machine = DispatchMachine()
    /// Of the machine. Noted, as it is asked for each event and changes with few.
    private var keepsNothingBack = true

    private init(_ content: Content) { self.content = content }

    /// - Returns: with what is decided about the first event.
    static func begin(
        _ first: EventInPlace, under book: PolicyBook, isDeciding: Bool
    ) throws(FoldError) -> (fold: DecidingFold, outcome: Outcome) {
        guard isDeciding else {
            return (DecidingFold(.states(try Refold(first, under: book))), .nothing)
        }
        let course = try Course(first, under: book)
        let fold = DecidingFold(.decisions(course))
        return (fold, .decided(fold.decide(course.first)))
    }

    private func decide(_ changes: CourseChanges) -> Decision {
        defer { keepsNothingBack = machine.keepsNothingBack }
        return machine.changed(changes.own)
    }

    func fold(
        _ event: EventInPlace, under book: PolicyBook
    ) throws(FoldError) -> Outcome {
        switch content {
        case .states(let refold):
            try refold.fold(event, under: book)
            return .nothing
        case .decisions(let course):
            let changes = try course.fold(
                event, under: book, trying: nil, isTerse: keepsNothingBack)
            guard let changes else {
                return .unchanged(
                    Unchanged(
                        contentState: course.contentState,
                        policy: book.policy(ofKind: course.kind, at: event.position)))
            }
            return .decided(decide(changes))
        }
    }

    /// As folded so far; with the machine's state if it decides.
    func snapshot() -> Snapshot {
        switch content {
        case .states(let refold): return refold.snapshot()
        case .decisions(let course):
            var snapshot = course.snapshot()
            snapshot.dispatch = WireCoder.encode(machine)
            return snapshot
        }
    }
}
