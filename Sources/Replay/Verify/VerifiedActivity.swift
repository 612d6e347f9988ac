import DeliveryRules
import Domain
import Projections

/// One activity on its way through a verification.
final class VerifiedActivity {
    enum Content {
        case nothing
        case fold(ReplayFold)
        /// Its snapshot was compared, at that version; what comes now is not folded yet.
        case past(version: Int64)
        /// Nothing more of it is folded: an event cannot be, or the first ones are not there, or
        /// its snapshot has ended too early.
        case notFolded
    }

    /// As it was stored when its first event was come by.
    let stored: Snapshot?
    /// Where it is to be compared; nil for never. Apart, since looking into a snapshot for each
    /// event costs as much as folding it.
    let end: (version: Int64, position: Int64)?
    var content = Content.nothing
    /// Version of the last event.
    var version: Int64 = 0
    /// Some decision was made by other rules, so that the machine stands elsewhere.
    var isOfOtherRules = false

    init(stored: Snapshot?) {
        self.stored = stored
        end = stored.flatMap { $0.blockage == nil ? ($0.version, $0.position) : nil }
    }

    func fold(
        _ event: BorrowedEvent, _ depth: Verifier.Depth, under book: PolicyBook
    ) throws(FoldError) -> ReplayFold.Conclusion {
        if case .fold(let fold) = content { return try fold.fold(event, under: book) }
        let fold = try ReplayFold(before: event, isDeciding: depth == .decisions)
        let conclusion = try fold.fold(event, under: book)
        content = .fold(fold)
        return conclusion
    }

    /// Nothing more is to come of it, as far as is known.
    var isOver: Bool { snapshot().map { $0.phase == .ended } ?? true }

    /// As folded so far; nil when nothing was.
    func snapshot() -> Snapshot? {
        guard case .fold(let fold) = content else { return nil }
        return fold.snapshot()
    }
}
