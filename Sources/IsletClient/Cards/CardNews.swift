/// The result of the work on one card.
public enum CardNews: Hashable, Sendable {
    /// Islet has the card's push token and sends to it.
    case registered(activity: String)
    /// Islet sends nothing to this card, and the reason is for good.
    case closed(activity: String, by: String)
    /// Islet knows the state of the card.
    case reported(activity: String, CardState)
    /// The backend has the push-to-start token.
    case handedOver(kind: String)
    /// It is tried again after the pause.
    case waiting(ClientError, pause: Duration)
    /// It is not tried again before something changes.
    case refused(activity: String, ClientError)
    /// The backend refuses the push-to-start token. It is not tried again before the next launch,
    /// unless the keeper hears it again. That of a person who has signed out is given up.
    case notTaken(kind: String, ClientError)
    /// There was no room for so many cards.
    case forgotten(activity: String)
    /// What was kept could not be read or written; the work goes on from memory.
    case notKept(String)
}

/// What ActivityKit says of a card.
public enum CardState: String, Codable, Sendable {
    /// From iOS 26 on: planned by the app, and yet to begin. It obeys no push.
    case pending
    case active, stale, ended, dismissed

    /// True when no later state of the same card undoes it.
    public var isOver: Bool {
        switch self {
        case .pending, .active, .stale: false
        case .ended, .dismissed: true
        }
    }
}

/// How a card is to be kept up to date.
public enum Following: Hashable, Sendable {
    /// Start the card with this channel, and register no token.
    case channel(String)
    /// Start it with a token of its own.
    case pushToken
    /// Start none: the person has dismissed the card before.
    case nothing
}
