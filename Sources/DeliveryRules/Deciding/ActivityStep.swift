public import Domain
public import Projections

/// One event taken all the way: folded into the snapshot and decided about.
public enum ActivityStep {
    /// - Parameters:
    ///   - snapshot: the activity before the event; nil for its first event.
    ///   - book: the tenant's policies.
    /// - Throws: `FoldError`; the snapshot then stays as it was.
    public static func apply(
        _ event: RecordedEvent, to snapshot: Snapshot?, under book: PolicyBook = .builtIn
    ) throws(FoldError) -> (snapshot: Snapshot, decision: Decision) {
        try event.withBorrowedEvent { (event) throws(FoldError) in
            var fold = try DispatchingFold(FoldStart(snapshot, before: event))
            let decision = try fold.apply(event, under: book)
            return (fold.snapshot(), decision)
        }
    }
}
