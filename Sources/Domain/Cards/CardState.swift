/// Why a registration receives nothing any more, although its push token may well work.
public enum Closing: String, CaseIterable, Hashable, Sendable {
    /// The person swiped the card away. It stays so for the activity.
    case dismissed
    /// The card ended on the phone. A later card of the same phone is another one.
    case ended
    /// The phone has another push token now.
    case replaced
    /// The app asked for it; it may register again.
    case removed
    /// The phone listens to the activity's channel instead; it may register again.
    case broadcast
}

/// ActivityKit's state of a card, as the app reports it.
public enum CardReport: String, CaseIterable, Hashable, Sendable {
    case active, stale, ended, dismissed
}

/// What is known of one card: of one push token of an activity, or of a phone that listens to its
/// channel.
public struct CardState: Hashable, Sendable {
    /// Grows whenever the phone asks again: an answer of APNs to an earlier push says nothing then.
    public var tokenVersion: Int
    /// The app's own name for its copy on one phone.
    @ByBytes public var installation: String?
    /// Nil as long as it is served.
    public var closing: Closing?
    /// What the app last said of the card.
    public var reported: CardReport?
    /// Another token or card is known to have come after it, so that it never counts again: the
    /// phone has reported the rotation, or a fresh card was started in its place. Registrations
    /// alone do not say which token came last.
    public var hasSuccessor: Bool

    public init(
        tokenVersion: Int = 1, installation: String? = nil, closing: Closing? = nil,
        reported: CardReport? = nil, hasSuccessor: Bool = false
    ) {
        self.tokenVersion = tokenVersion
        self.installation = installation
        self.closing = closing
        self.reported = reported
        self.hasSuccessor = hasSuccessor
    }
}

/// The cards that a request is about; nil for one that was never heard of.
public struct Cards: Hashable, Sendable {
    /// That of the token, or installation, that the request names; of a rotation, its `to`.
    public var named: CardState?
    /// For a registration, the same installation's card under another token. The request names the
    /// installation, or an earlier registration of the token did. It is the dismissed one, or else
    /// the one that is served. For a rotation, its `from`.
    public var former: CardState?
    /// The same installation's that listens to the channel, which has no token. `replaced` when the
    /// phone has registered one since.
    public var listener: CardState?
    /// Push tokens that the phone has or had for the activity, as far as it names itself.
    public var tokens: Int
    /// For a registration, what closed the newest of the same installation's cards under other
    /// tokens, apart from those that were replaced.
    public var lastClosing: Closing?

    public init(
        named: CardState? = nil, former: CardState? = nil, listener: CardState? = nil,
        tokens: Int = 0, lastClosing: Closing? = nil
    ) {
        self.named = named
        self.former = former
        self.listener = listener
        self.tokens = tokens
        self.lastClosing = lastClosing
    }

    /// - Parameter others: the same installation's cards under other tokens, in the order in which
    ///   they came.
    public static func lastClosing(of others: [CardState]) -> Closing? {
        others.last { $0.closing != .replaced }?.closing
    }
}
