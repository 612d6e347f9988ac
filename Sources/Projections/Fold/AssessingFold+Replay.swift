public import Domain

/// How replays save time: most events change nothing that phones show, and are not assessed. The
/// projector uses none of this.
extension AssessingFold {
    /// Folds the activity's next event.
    /// - Parameter skipsUnchanged: an event that changes nothing that phones show and no
    ///   attributes, and ends nothing, need not be assessed: it would be held as unchanged.
    ///   False while something is kept back, which any event may release, and when phones are soon
    ///   to mark their cards as stale.
    /// - Returns: nil for such an event, else as `fold(_:under:)`.
    /// - Throws: `FoldError`; the activity then stays as it was.
    public func fold(
        _ event: BorrowedEvent, under book: PolicyBook, skipsUnchanged: Bool
    ) throws(FoldError) -> FoldedChange? { try calls.fold(event, book, skipsUnchanged) }

    /// What an event at `position` is judged by.
    public func policy(at position: Int64, under book: PolicyBook) -> Policy {
        book.ownPolicy(ofKind: factory.kind, at: position) ?? factory.builtInPolicy
    }
}
