public import Domain
import Foundation
public import Projections

/// One event taken all the way: folded into the snapshot and decided about.
///
/// The projector and the replay tool share it, which is what makes a decision recomputable.
public enum ActivityStep {
    /// - Parameters:
    ///   - snapshot: the activity before the event; nil for its first event.
    ///   - book: the tenant's policies.
    /// - Throws: `FoldError`; the snapshot then stays as it was.
    public static func apply(
        _ event: RecordedEvent, to snapshot: Snapshot?, under book: PolicyBook = .builtIn
    ) throws(FoldError) -> (snapshot: Snapshot, decision: Decision) {
        var change = try ActivityCatalog.standard.fold(event, into: snapshot, under: book)
        var machine = DispatchMachine()
        let read = snapshot?.readDispatch.value as? DispatchMachine
        if let read {
            machine = read
        } else if let snapshot {
            do {
                machine = try WireCoder.decode(DispatchMachine.self, from: snapshot.dispatch)
            } catch { throw .undecodable(member: "dispatch", kind: snapshot.kind) }
        }
        let decision = machine.changed(change)
        // Else it is written as it stands.
        if machine != read {
            change.snapshot.dispatch = WireCoder.encode(machine)
            change.snapshot.readDispatch = Snapshot.Reading(machine)
        }
        return (change.snapshot, decision)
    }
}
