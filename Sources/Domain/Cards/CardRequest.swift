/// What a phone, or a backend for it, asks of one activity.
public enum CardRequest: Hashable, Sendable {
    case register(CardWish)
    /// Compare and set: the phone had the one token and now has the other.
    case rotate(from: PushToken, to: PushToken)
    case report(CardName, CardReport)
    case remove(PushToken)
    /// The phone is about to start a card that listens to the activity's channel.
    case listen(installation: String, with: AppInEnvironment)
}

/// Which card a report is about.
public enum CardName: Hashable, Sendable {
    case token(PushToken)
    /// - Parameter bundleID: the app's, of which a card that was swiped away is remembered although
    ///   nobody has heard of it before. Not of one that ended first.
    case installation(String, bundleID: String? = nil)
}

/// A phone's wish to be kept up to date.
public struct CardWish: Hashable, Sendable {
    /// The card's push token.
    public var token: PushToken
    /// Which of Apple's environments the token belongs to.
    public var environment: APNsEnvironment
    /// The app's bundle id, without the push-type suffix.
    @ByBytes public var bundleID: String
    /// The app's own name for its copy on this phone.
    @ByBytes public var installation: String?
    /// BCP 47, such as `pt-BR`.
    public var locale: String?
    /// `NSSupportsLiveActivitiesFrequentUpdates`, and the person allows it.
    public var frequentUpdates: Bool
    /// As the app names its build.
    public var appBuild: String?
    /// The major version of iOS.
    public var osMajor: Int?

    public init(
        token: PushToken, environment: APNsEnvironment, bundleID: String,
        installation: String? = nil, locale: String? = nil, frequentUpdates: Bool = false,
        appBuild: String? = nil, osMajor: Int? = nil
    ) {
        self.token = token
        self.environment = environment
        self.bundleID = bundleID
        self.installation = installation
        self.locale = locale
        self.frequentUpdates = frequentUpdates
        self.appBuild = appBuild
        self.osMajor = osMajor
    }
}

/// What comes of a request.
public struct CardChange: Hashable, Sendable {
    /// What the phone is answered.
    public enum Answer: Hashable, Sendable {
        case registered
        /// The token was registered before.
        case known
        case rotated
        case alreadyRotated
        /// Neither token of a rotation is the one that counts, or they belong to two phones.
        case conflict
        case noted
        case removed
        /// Broadcasts reach the phone, and nothing is sent to a push token of it.
        case listening
        /// Nothing is sent to this card, and that stays so.
        case closed(Closing)
        /// No such card was ever registered.
        case unknown
        /// The phone has had as many push tokens for the activity as one may.
        case tooMany
    }

    /// What the phone is answered.
    public var answer: Answer
    /// What the named card becomes; nil leaves it as it is.
    public var named: CardState?
    /// What the former card becomes; nil leaves it as it is.
    public var former: CardState?
    /// What the card that listens becomes; nil leaves it as it is.
    public var listener: CardState?

    public init(
        _ answer: Answer, named: CardState? = nil, former: CardState? = nil,
        listener: CardState? = nil
    ) {
        self.answer = answer
        self.named = named
        self.former = former
        self.listener = listener
    }

    /// The named card is owed the newest state at once.
    public var owesNewest: Bool {
        switch answer {
        case .registered, .known, .rotated: true
        case .alreadyRotated, .conflict, .noted, .removed, .listening, .closed, .unknown,
            .tooMany:
            false
        }
    }
}
