import Domain
import Projections
import PushDispatch

/// One activity on its way through a verification.
final class VerifiedActivity {
    enum Content {
        case nothing
        case fold(DecidingFold)
        /// Its snapshot was compared; what comes now is not folded yet.
        case past
        case unfoldable
        /// Its first events are not there.
        case notFolded
    }

    /// As it was stored when its first event was come by.
    let stored: Snapshot?
    var content = Content.nothing
    /// Of the last event.
    var version: Int64 = 0
    /// Some decision was made by other rules, so that the machine stands elsewhere.
    var isOfOtherRules = false

    init(stored: Snapshot?) { self.stored = stored }

    /// - Returns: what is decided about the event; nil when nothing is.
    func fold(
        _ event: RecordedEvent, _ depth: Verifier.Depth, under book: PolicyBook
    ) throws(FoldError) -> Decision? {
        if case .fold(let fold) = content { return try fold.fold(event, under: book) }
        let (fold, decision) = try DecidingFold.begin(
            event, under: book, isDeciding: depth == .full)
        content = .fold(fold)
        return decision
    }

    /// As folded so far; nil when nothing was.
    func snapshot() -> Snapshot? {
        guard case .fold(let fold) = content else { return nil }
        return fold.snapshot()
    }
}
