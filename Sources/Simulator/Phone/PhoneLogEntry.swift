public import Domain
public import Projections

/// Names one simulated phone, for example `phone-1`.
public struct PhoneID: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
}

/// One line of a phone's log: what happened to a card and why.
public struct PhoneLogEntry: Hashable, Sendable, Codable {
    public enum Outcome: String, Hashable, Sendable, Codable {
        /// The app started the activity.
        case started
        /// A push changed what the card holds.
        case shown
        /// A push was passed over; the sender was not told.
        case ignored
        /// Passed over likewise, because a newer push had been obeyed already.
        case outdated
        /// The system gave the card another push token.
        case rotated
        case stale
        case ended
        case dismissed
    }

    public var at: Moment
    public var activity: ActivityID
    public var outcome: Outcome
    /// One sentence for a person.
    public var sentence: String
    /// Mistakes of the sender that the phone passes over in silence.
    public var warnings: [String]
    /// `aps.timestamp` of the push; nil without one.
    public var timestamp: Int64?
}

/// A change on a phone, as an observer is told of it.
public struct PhoneEvent: Sendable {
    public var phone: PhoneID
    public var phoneName: String
    public var entry: PhoneLogEntry
    public var phase: CardPhase
    /// What the card shows after the change; nil once it is gone.
    public var presentation: Presentation?
    /// The alert that this very change presented.
    public var alert: Alert?

    /// Why the push was passed over; nil when it was not.
    public var ignoredReason: String? {
        switch entry.outcome {
        case .ignored, .outdated: entry.sentence
        case .started, .shown, .rotated, .stale, .ended, .dismissed: nil
        }
    }
}
