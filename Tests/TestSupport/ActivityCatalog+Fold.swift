public import Domain
public import Projections

extension ActivityCatalog {
    /// Folds the next event of an activity's stream.
    /// - Parameters:
    ///   - snapshot: the activity before the event; nil for its first event.
    ///   - book: the tenant's policies.
    public func fold(
        _ recorded: RecordedEvent, into snapshot: Snapshot?, under book: PolicyBook = .builtIn
    ) throws(FoldError) -> FoldedChange {
        try recorded.withBorrowedEvent { (event) throws(FoldError) in
            let fold = try AssessingFold(FoldStart(snapshot, before: event), catalog: self)
            var change = try fold.fold(event, under: book)
            change.snapshot = fold.snapshot()
            return change
        }
    }
}
