public import Domain
import Foundation
import JSON
public import Projections

/// One activity folded and decided about, one event after the other. What others read of it is
/// written by `snapshot()` alone: writing a long match's state takes longer than folding an event.
///
/// The projector and the replay tool share it, which is what makes a decision recomputable.
public struct DispatchingFold {
    private let assessingFold: AssessingFold
    private var machine = DispatchMachine()
    /// The machine in the snapshot that it began with.
    private var storedMachine: DispatchMachine?

    /// - Throws: `FoldError` when its kind is unknown or another version of Islet stored it.
    public init(_ start: FoldStart) throws(FoldError) {
        assessingFold = try AssessingFold(start)
        guard case .stored(let snapshot) = start else { return }
        if let read = snapshot.decodedDispatch.value as? DispatchMachine {
            machine = read
            storedMachine = read
        } else {
            do {
                machine = try WireCoder.decode(DispatchMachine.self, from: snapshot.dispatch)
            } catch { throw .undecodable(member: "dispatch", kind: snapshot.kind) }
        }
    }

    /// Folds the activity's next event and decides about it.
    /// - Parameter book: the tenant's policies.
    /// - Throws: `FoldError`; the activity then stays as it was.
    public mutating func apply(
        _ event: BorrowedEvent, under book: PolicyBook
    ) throws(FoldError) -> Decision {
        machine.decide(about: try assessingFold.fold(event, under: book))
    }

    /// As folded so far.
    public func snapshot() -> Snapshot {
        var snapshot = assessingFold.snapshot()
        // Else it is written as it stands.
        if machine != storedMachine {
            snapshot.dispatch = WireCoder.encode(machine)
            snapshot.decodedDispatch = Snapshot.DecodedValue(machine)
        }
        return snapshot
    }
}
