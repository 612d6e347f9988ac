public import Domain

/// Where the pushes for a card come from: an activity has a single push type, for all its life.
public enum CardAddress: Hashable, Sendable {
    case token(PushToken)
    /// Id of a broadcast channel, in base64.
    case channel(String)
}

extension Card {
    /// Nil for a card that listens to a channel.
    public var token: PushToken? {
        if case .token(let token) = address { token } else { nil }
    }

    /// Nil for a card that has a token.
    public var channel: String? {
        if case .channel(let channel) = address { channel } else { nil }
    }

    /// A card that is over has unsubscribed.
    func listens(to channel: String) -> Bool {
        self.channel == channel && !phase.isOver
    }
}
