public import Domain
public import Foundation

/// An activity folded again from its first event on with what each event was worth, so that it can
/// be decided about once more. Unlike `ActivityCatalog.fold` it writes no JSON but what phones are
/// shown: the rest is written by `snapshot()`.
public final class Course {
    private let activity: CourseOfActivity
    /// Name of its kind.
    public let kind: String
    /// What its first event was worth.
    public let first: CourseChanges

    /// Begins with an activity's first event.
    /// - Parameters:
    ///   - tried: policies that are tried beside those of `book`: the activity is folded once, and
    ///     each event judged under both.
    ///   - isTranslated: false where nobody reads an alert in any language but the standard one.
    /// - Throws: `FoldError` when that belongs to no kind or is refused.
    public init(
        _ first: EventInPlace, under book: PolicyBook = .builtIn, trying tried: PolicyBook? = nil,
        isTranslated: Bool = true, catalog: ActivityCatalog = .standard
    ) throws(FoldError) {
        let type = first.typeName
        guard let kind = catalog.kind(ofEventType: type)?.name,
            let folding = catalog.folding(kind: kind)
        else { throw .unknownKind(type) }
        self.kind = kind
        let (activity, changes) = try folding.set(first, book, tried, isTranslated)
        (self.activity, self.first) = (activity, changes)
    }

    /// Folds the activity's next event.
    /// - Returns: as `ActivityCatalog.fold` does, with a snapshot that lacks state and attributes.
    /// - Throws: `FoldError`; the activity then stays as it was.
    public func fold(
        _ recorded: RecordedEvent, under book: PolicyBook = .builtIn
    ) throws(FoldError) -> FoldedChange {
        let changes = try recorded.inPlace { (event) throws(FoldError) in
            try activity.fold(event, book, nil, false)
        }
        guard let changes else { preconditionFailure("each event's worth was asked for") }
        return changes.own
    }

    /// The same for whoever need not hear of an event that changes nothing that phones show and
    /// ends nothing, so that its assessment need not be made: it would hold it back as unchanged.
    /// - Parameters:
    ///   - tried: as at the beginning.
    ///   - isTerse: false while something is kept back, which any event may bring to be told.
    /// - Returns: nil for such an event.
    public func fold(
        _ event: EventInPlace, under book: PolicyBook, trying tried: PolicyBook?, isTerse: Bool
    ) throws(FoldError) -> CourseChanges? {
        try activity.fold(event, book, tried, isTerse)
    }

    /// As of the last event.
    public var contentState: Data { activity.contentState() }

    /// As folded so far, without a dispatch machine's state.
    public func snapshot() -> Snapshot { activity.snapshot() }
}

/// What one event was worth, also under the policies that are tried if there are any. An object,
/// for it is handed on and too large to be copied each time.
public final class CourseChanges {
    /// What a change is worth under the policies that are tried.
    public enum Tried {
        /// Nothing is tried.
        case none
        /// As much as under those in force: only when pushes go and at which priority may differ.
        case alike(Policy)
        indirect case judged(FoldedChange)
    }

    /// Under the policies in force.
    public let own: FoldedChange
    /// Under the policy that is tried.
    public let tried: Tried

    init(own: FoldedChange, tried: Tried) {
        self.own = own
        self.tried = tried
    }
}
