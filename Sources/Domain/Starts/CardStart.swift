/// Where the start of one activity's card on one phone stands.
public enum StartState: String, CaseIterable, Hashable, Sendable {
    /// To be sent, at once or after a transient refusal.
    case waiting
    /// The phone's budget of starts is spent, or none of the activity is to start just now.
    case held
    /// On its way to APNs: written down before it leaves, so that a crash cannot send it twice.
    case trying
    /// APNs accepted it. Final.
    case started
    /// It surely did not reach the phone, and sending it again would not help.
    case refused
    /// Nobody knows whether it reached the phone, so it is never sent again. Final.
    case unknown
    /// The phone has a card of the activity already, or had one; or the activity has ended. Final.
    case needless
}

/// The start of one activity's card on one phone.
public struct CardStart: Hashable, Sendable {
    /// The reason of an `unknown` one whose claim was lost before its result was written down. The
    /// sender that had the claim may still know the result.
    public static let cutShort = "cut-short"

    /// How far the start has come.
    public var state: StartState
    /// Pushes that went out, or may have.
    public var attempts: Int
    /// Nil before the first attempt.
    public var firstTriedAt: Moment?
    /// When it is looked at again; nil in a final state.
    public var dueAt: Moment?
    /// Why it is where it is, in a few words or APNs' own; never a token.
    public var reason: String?

    public init(
        state: StartState = .waiting, attempts: Int = 0, firstTriedAt: Moment? = nil,
        dueAt: Moment? = nil, reason: String? = nil
    ) {
        self.state = state
        self.attempts = attempts
        self.firstTriedAt = firstTriedAt
        self.dueAt = dueAt
        self.reason = reason
    }
}
