import DeliveryRules
import Domain
import Foundation
import JSON
import Projections

/// One activity folded again, and decided about again if that is wanted.
final class ReplayFold {
    private enum Content {
        case states(StateFold)
        case decisions(AssessingFold)
    }

    /// What is decided about an event.
    enum Conclusion {
        /// It decides nothing.
        case nothing
        case unchanged(Unchanged)
        // Apart, as it is large, and most events decide nothing new.
        indirect case decided(Decision)

        func decision(about event: BorrowedEvent) -> Decision? {
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

        func decision(about event: BorrowedEvent) -> Decision {
            DispatchMachine.unchanged(event, contentState, under: policy)
        }
    }

    private let content: Content
    /// What phones show after the last event.
    private var contentState = Data()
    private var machine = DispatchMachine()
    /// The machine's. Noted, as each event asks for it and few change it.
    private var skipsUnchangedUntil = DispatchMachine().skipsUnchangedUntil

    /// An activity before its first event, which is then folded as every other.
    init(before first: BorrowedEvent, isDeciding: Bool) throws(FoldError) {
        content =
            isDeciding
            ? .decisions(try AssessingFold(.first(first)))
            : .states(try StateFold(.first(first)))
    }

    func fold(
        _ event: BorrowedEvent, under book: PolicyBook
    ) throws(FoldError) -> Conclusion {
        switch content {
        case .states(let fold):
            try fold.fold(event, under: book)
            return .nothing
        case .decisions(let fold):
            let skips = event.recordedAt < skipsUnchangedUntil
            guard let change = try fold.fold(event, under: book, skipsUnchanged: skips) else {
                return .unchanged(
                    Unchanged(
                        contentState: contentState,
                        policy: fold.policy(at: event.position, under: book)))
            }
            contentState = change.snapshot.contentState
            defer { skipsUnchangedUntil = machine.skipsUnchangedUntil }
            return .decided(machine.decide(about: change))
        }
    }

    /// As folded so far; with the machine's state if it decides.
    func snapshot() -> Snapshot {
        switch content {
        case .states(let fold): return fold.snapshot()
        case .decisions(let fold):
            var snapshot = fold.snapshot()
            snapshot.dispatch = WireCoder.encode(machine)
            return snapshot
        }
    }
}
