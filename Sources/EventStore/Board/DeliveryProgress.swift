public import Domain

/// How far an activity's newest state has come to its phones.
public struct DeliveryProgress: Hashable, Sendable {
    /// The newest decision whose verdict is not `hold`.
    public struct Said: Hashable, Sendable {
        public var version: Int64
        public var verdict: Verdict
        public var rule: String
        public var decidedAt: Moment
        /// Title of its alert, if it has one.
        public var title: String?
        /// It is still to be sent.
        public var isPending: Bool

        public init(
            version: Int64, verdict: Verdict, rule: String, decidedAt: Moment,
            title: String? = nil, isPending: Bool = false
        ) {
            self.version = version
            self.verdict = verdict
            self.rule = rule
            self.decidedAt = decidedAt
            self.title = title
            self.isPending = isPending
        }
    }

    public var said: Said?
    /// The newest state that APNs accepted for a phone or a channel; nil for none.
    public var acceptedVersion: Int64?
    public var acceptedAt: Moment?
    /// Channels that APNs accepted it for.
    public var channels = 0
    /// Phones that are served, up to a bound.
    public var phones = 0
    /// No more were counted.
    public var isPartial = false
    /// Phones among them that are owed nothing: APNs accepted all that was sent.
    public var upToDate = 0
    /// Phones among them that wait to be sent something.
    public var waiting = 0
    /// When none is served, though some registered: why the one that went last is not, as
    /// `closedBy` has it, `dead` or `unfit`. Else nil.
    public var goneBy: String?

    public init() {}
}
