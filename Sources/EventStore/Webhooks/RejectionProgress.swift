public import Domain

/// How far a webhook has received rejected push tokens.
public struct RejectionProgress: Hashable, Sendable {
    /// The message about those after the place, which did not arrive. What is rejected meanwhile
    /// waits behind it, so that the same message is sent again under the same name.
    public struct Waiting: Hashable, Sendable {
        public var upto: RejectedToken.Place
        public var attempts: Int
        public var firstTriedAt: Moment
        public var retryAt: Moment

        public init(
            upto: RejectedToken.Place, attempts: Int, firstTriedAt: Moment, retryAt: Moment
        ) {
            self.upto = upto
            self.attempts = attempts
            self.firstTriedAt = firstTriedAt
            self.retryAt = retryAt
        }
    }

    /// Of the last one that was dealt with.
    public var place: RejectedToken.Place
    public var waiting: Waiting?

    public init(place: RejectedToken.Place, waiting: Waiting? = nil) {
        self.place = place
        self.waiting = waiting
    }
}

/// What one message is about.
public struct RejectionPage: Sendable {
    /// Those of which the webhook wants to know, oldest first; empty when there are but others.
    public var tokens: [RejectedToken]
    /// How far the webhook has come with them.
    public var upto: RejectedToken.Place

    public init(tokens: [RejectedToken], upto: RejectedToken.Place) {
        self.tokens = tokens
        self.upto = upto
    }
}
