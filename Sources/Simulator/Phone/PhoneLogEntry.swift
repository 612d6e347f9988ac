public import Domain
public import Foundation
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
        /// The app or a push started the activity.
        case started
        /// The app planned an activity that begins later by itself.
        case scheduled
        /// The app woke up after a start by push and got the card's update token.
        case obtainedToken
        /// A push changed what the card has.
        case shown
        /// A push was passed over; the sender does not learn it.
        case ignored
        /// Passed over likewise, because a newer push had been obeyed already.
        case outdated
        /// Passed over likewise, because the budget of priority 10 is used up.
        case throttled
        /// APNs accepted a push that never arrives, because the phone was away.
        case lost
        /// The system gave the card another push token.
        case rotated
        case stale
        case ended
        case dismissed
    }

    public var at: Moment
    /// Of a start that was passed over: the id of an activity that never came to be.
    public var activity: ActivityID
    public var outcome: Outcome
    /// One sentence for a person.
    public var sentence: String
    /// Mistakes of the sender that the phone passes over in silence.
    public var warnings: [String]
    /// `aps.timestamp` of the push; nil without one.
    public var timestamp: Int64?
    /// The alert that this very change presented.
    public var alert: Alert?
}

/// A change on a phone, as an observer gets it.
public struct PhoneEvent: Sendable {
    public var phone: PhoneID
    public var phoneName: String
    public var entry: PhoneLogEntry
    /// Name of the kind, for example `Match`.
    public var kind: String
    /// The app's own JSON, by which it tells one activity from another; nil without a card.
    public var attributes: Data?
    /// Nil when a start was passed over: there is no card then.
    public var phase: CardPhase?
    /// What the card shows after the change; nil once it is gone.
    public var presentation: Presentation?
    /// The update token that the app has got with this very change, for it to send to its server.
    public var updateToken: PushToken?

    /// The alert that this very change presented.
    public var alert: Alert? { entry.alert }

    /// Why the push was passed over; nil when it was not.
    public var ignoredReason: String? {
        switch entry.outcome {
        case .ignored, .outdated, .throttled, .lost: entry.sentence
        case .started, .scheduled, .obtainedToken, .shown, .rotated, .stale, .ended, .dismissed: nil
        }
    }
}
