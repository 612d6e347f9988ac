import Domain
import Projections
import PushDispatch

/// One activity folded again, and decided about again if that is wanted.
final class DecidingFold {
    private enum Content {
        case states(Refold)
        case decisions(Course)
    }

    private let content: Content
    private(set) var machine = DispatchMachine()

    private init(_ content: Content) { self.content = content }

    /// - Returns: with what is decided about the first event; nil unless it decides.
    static func begin(
        _ first: RecordedEvent, under book: PolicyBook, isDeciding: Bool
    ) throws(FoldError) -> (fold: DecidingFold, decision: Decision?) {
        guard isDeciding else {
            return (DecidingFold(.states(try Refold(first, under: book))), nil)
        }
        let course = try Course(first, under: book)
        let fold = DecidingFold(.decisions(course))
        return (fold, fold.machine.changed(course.first))
    }

    func fold(
        _ event: RecordedEvent, under book: PolicyBook
    ) throws(FoldError) -> Decision? {
        switch content {
        case .states(let refold):
            try refold.fold(event, under: book)
            return nil
        case .decisions(let course):
            let changes = try course.fold(
                event, under: book, trying: nil, isTerse: machine.keepsNothingBack)
            guard let changes else {
                return DispatchMachine.unchanged(
                    event, course.contentState,
                    under: book.policy(ofKind: course.kind, at: event.position))
            }
            return machine.changed(changes.own)
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
