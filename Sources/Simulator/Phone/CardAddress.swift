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
        switch address {
        case .token(let token): token
        case .channel: nil
        }
    }

    /// Nil for a card that has a token.
    public var channel: String? {
        switch address {
        case .token: nil
        case .channel(let channel): channel
        }
    }

    /// A card that is over has unsubscribed.
    func listens(to channel: String) -> Bool {
        self.channel == channel && !phase.isOver
    }
}
