public import Foundation

/// Where an activity stands in its life. Only `ended` is final.
public enum Phase: String, Codable, Sendable, CaseIterable {
    case scheduled, live, ended
}

/// One activity as folded up to `version`: what a projection stores and a phone is sent.
///
/// The three JSON members are written with sorted keys, so equal states are equal bytes.
public struct Snapshot: Hashable, Sendable {
    /// The activity's id.
    public var activityID: ActivityID
    /// Name of the activity kind, for example `Match`.
    public var kind: String
    /// Version of the last event folded in.
    public var version: Int64
    /// Position of that event in the tenant's log.
    public var position: Int64
    /// Where it stands in its life.
    public var phase: Phase
    /// The fold's own state as JSON: richer than what the phone sees.
    public var state: Data { didSet { decodedState = DecodedValue() } }
    /// The ActivityKit attributes as JSON; fixed once the activity has started on a phone.
    public var attributes: Data
    /// The ActivityKit `ContentState` as the stock `JSONEncoder` writes it.
    public var contentState: Data
    /// When the last folded event was recorded.
    public var updatedAt: Moment
    /// The dispatch machine's state as JSON: what was decided so far.
    public var dispatch = Data("{}".utf8) { didSet { decodedDispatch = DecodedValue() } }
    /// Why the activity could not be folded any further; nil while all is well.
    public var blockage: String?
    /// When the clock brings about the activity's next event; nil when nothing is left to come.
    public var dueAt: Moment?
    /// Version of the kind's fold that wrote it.
    public var foldVersion: Int
    /// What it can be found and counted by.
    public var facts: ActivityFacts
    /// Type of the event whose facts the attributes need and that nobody has reported yet: no push
    /// starts a card until then. Nil when there is none, and after the end.
    public var awaits: String?
    /// The value of `state`, for code that would decode it again.
    public var decodedState = DecodedValue()
    /// The value of `dispatch`.
    public var decodedDispatch = DecodedValue()

    /// A value that JSON in a snapshot stands for. All of these are equal, with a value or without:
    /// snapshots compare by their JSON, to which they add nothing.
    public struct DecodedValue: Hashable, Sendable {
        /// Nil when nobody has decoded it.
        public let value: (any Sendable)?

        public init(_ value: (any Sendable)? = nil) {
            self.value = value
        }

        public static func == (left: DecodedValue, right: DecodedValue) -> Bool { true }
        public func hash(into hasher: inout Hasher) {}
    }

    public init(
        activityID: ActivityID, kind: String, version: Int64, position: Int64, phase: Phase,
        state: Data, attributes: Data, contentState: Data, updatedAt: Moment,
        blockage: String? = nil, dueAt: Moment? = nil, foldVersion: Int = 1,
        facts: ActivityFacts = ActivityFacts()
    ) {
        self.activityID = activityID
        self.kind = kind
        self.version = version
        self.position = position
        self.phase = phase
        self.state = state
        self.attributes = attributes
        self.contentState = contentState
        self.updatedAt = updatedAt
        self.blockage = blockage
        self.dueAt = dueAt
        self.foldVersion = foldVersion
        self.facts = facts
    }

    /// Whether readers of changes see the same of both. They do not see which fold wrote it, the
    /// fold's own state, what was decided, and what the clock and the card's start wait for.
    public func showsTheSame(as other: Snapshot) -> Bool {
        var shown = self
        shown.foldVersion = other.foldVersion
        shown.state = other.state
        shown.dispatch = other.dispatch
        shown.dueAt = other.dueAt
        shown.awaits = other.awaits
        return shown == other
    }
}
