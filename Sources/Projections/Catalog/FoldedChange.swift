public import Domain

/// Why a recorded event could not be folded. Its activity is marked faulted; others go on.
public enum FoldError: Error, Hashable, Sendable {
    case refused(EventRefusal)
    /// The stored event belongs to another kind than the activity it names.
    case kindMismatch(expected: String, found: String)
    case unknownKind(String)
    /// A stored JSON member does not decode into its type.
    case undecodable(member: String, kind: String)
}

/// What folding one event into an activity gives.
public struct FoldedChange: Hashable, Sendable {
    public var snapshot: Snapshot
    /// True when the encoded content state differs from the one before.
    public var isVisible: Bool
    public var assessment: Assessment
    /// What the assessment wants to be said, when it is to alert.
    public var alert: Alert?
    /// The assessment was made under it.
    public var policy: Policy
    /// What the clock brings about next unless another event comes first; nil when nothing is left.
    public var due: DueEvent?

    public init(
        snapshot: Snapshot, isVisible: Bool, assessment: Assessment, alert: Alert? = nil,
        policy: Policy = .builtIn, due: DueEvent? = nil
    ) {
        self.snapshot = snapshot
        self.isVisible = isVisible
        self.assessment = assessment
        self.alert = alert
        self.policy = policy
        self.due = due
    }
}
