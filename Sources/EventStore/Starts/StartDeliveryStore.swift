public import Domain
public import Foundation

/// The audience of a claimed activity, as long as something may be started.
public struct ClaimedAudience: Hashable, Sendable {
    public var putVersion: Int32
    /// Phones up to this one were looked through.
    public var cursor: Int64
    /// Something is to be looked at now.
    public var isDue: Bool

    public init(putVersion: Int32, cursor: Int64, isDue: Bool) {
        self.putVersion = putVersion
        self.cursor = cursor
        self.isDue = isDue
    }
}

/// A phone on which a card may have to be started.
public struct StartCandidate: Sendable {
    /// A token that lives and follows one of the topics.
    public struct Token: Hashable, Sendable {
        public var pushToken: PushToken
        public var environment: APNsEnvironment
        public var version: Int32
        public var putAt: Moment
        public var locale: String?
        public var osMajor: Int?

        public init(
            pushToken: PushToken, environment: APNsEnvironment, version: Int32, putAt: Moment,
            locale: String?, osMajor: Int?
        ) {
            self.pushToken = pushToken
            self.environment = environment
            self.version = version
            self.putAt = putAt
            self.locale = locale
            self.osMajor = osMajor
        }
    }

    public var deviceID: Int64
    @ByBytes public var bundleID: String
    /// Nil when there is no such token any more.
    public var token: Token?
    /// As its rules encode it; nil before the phone's first start.
    public var budget: Data?
    public var budgetVersion: Int64
    /// Nil when it was never looked at.
    public var start: CardStart?
    /// The same installation has or had a card of the activity, with a token or one that listens.
    public var hasCard: Bool
    /// Version of the decision that wants a fresh card; 0 for the first one.
    public var restartVersion: Int64
    /// Registration of the old card that a fresh one is to replace; nil when there is none.
    public var replacedRegistrationID: Int64?

    public init(
        deviceID: Int64, bundleID: String, token: Token?, budget: Data?, budgetVersion: Int64,
        start: CardStart?, hasCard: Bool, restartVersion: Int64, replacedRegistrationID: Int64?
    ) {
        self.deviceID = deviceID
        self.bundleID = bundleID
        self.token = token
        self.budget = budget
        self.budgetVersion = budgetVersion
        self.start = start
        self.hasCard = hasCard
        self.restartVersion = restartVersion
        self.replacedRegistrationID = replacedRegistrationID
    }
}

/// What is to be written down about a candidate before anything is sent.
public struct StartIntent: Sendable {
    /// As it was read: when another node took from its budget meanwhile, the start waits.
    public var candidate: StartCandidate
    /// Nil: nobody wants it any more; it is forgotten.
    public var start: CardStart?
    /// What is left of the budget after a start that is being tried.
    public var budget: Data?

    public init(_ candidate: StartCandidate, start: CardStart?, budget: Data?) {
        self.candidate = candidate
        self.start = start
        self.budget = budget
    }
}

/// What came of a start that was tried.
public struct StartResult: Sendable {
    /// As it was before the start began.
    public var candidate: StartCandidate
    public var start: CardStart
    /// The token is dead, unless the app has put one since.
    public var isTokenDead: Bool
    /// The push never left: the phone gets its budget back, unless something else was taken from it
    /// since.
    public var isUnsent: Bool

    public init(
        _ candidate: StartCandidate, start: CardStart, isTokenDead: Bool = false,
        isUnsent: Bool = false
    ) {
        self.candidate = candidate
        self.start = start
        self.isTokenDead = isTokenDead
        self.isUnsent = isUnsent
    }
}

/// The sender's side of starts, under a claim; a claim that is void throws. Only
/// `recordAfterLosingClaim` needs none.
public protocol StartDeliveryStore: Sendable {
    /// Marks as unknown the starts that another claim left on their way. Nobody knows their result,
    /// unless the sender that had that claim lives: then `recordAfterLosingClaim` records it.
    func markLeftoverStartsUnknown(_ claim: DeliveryClaim) async throws(EventStoreError)
    /// A page of those that wait and whose time has come, by device.
    func due(_ claim: DeliveryClaim, _ now: Moment, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [StartCandidate]
    /// A page of those that are held for one of some reasons, due or not, by device.
    /// - Parameter until: only those that are held for longer; nil for all.
    func held(
        _ claim: DeliveryClaim, for reasons: [String], untilLaterThan until: Moment?,
        _ after: Int64, _ limit: Int
    ) async throws(EventStoreError) -> [StartCandidate]
    /// A page of the whole audience, by device.
    func page(_ claim: DeliveryClaim, _ after: Int64, _ limit: Int) async throws(EventStoreError)
        -> [StartCandidate]
    /// Writes down what is to be tried and what is not.
    /// - Returns: the devices of those that are this claim's to send. None when the audience was
    ///   put again: what was found is void then.
    func begin(_ claim: DeliveryClaim, _ intents: [StartIntent]) async throws(EventStoreError)
        -> Set<Int64>
    /// Writes down what came of them, and how far the audience was looked through, if further. Puts
    /// back what starts took from budgets whose pushes never left.
    func record(_ claim: DeliveryClaim, _ results: [StartResult], _ cursor: Int64?)
        async throws(EventStoreError)
    /// Records the results of starts whose claim may be void by now. A start is the claim's that
    /// tried it last: no other sender can have sent it, so its result counts although a later claim
    /// has called it unknown. Other starts are left alone, so results may be recorded twice, and
    /// results of starts that never began do no harm.
    func recordAfterLosingClaim(_ claim: DeliveryClaim, _ results: [StartResult])
        async throws(EventStoreError)
    /// The whole audience was looked through.
    func finish(_ claim: DeliveryClaim) async throws(EventStoreError)
    /// The activity has ended.
    func close(_ claim: DeliveryClaim) async throws(EventStoreError)

    // Fresh cards that take the place of old ones. The restart version is the version of the
    // decision that wants them.

    /// What waits for an earlier restart version is forgotten.
    func overtake(_ claim: DeliveryClaim, _ restartVersion: Int64) async throws(EventStoreError)
    /// A page of the phones with an open card and a living start token for it, by registration.
    func page(_ claim: DeliveryClaim, _ restartVersion: Int64, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [StartCandidate]
    /// A page of those that wait and whose time has come, by device.
    func due(
        _ claim: DeliveryClaim, _ restartVersion: Int64, _ now: Moment, _ after: Int64, _ limit: Int
    ) async throws(EventStoreError) -> [StartCandidate]
    /// A page of the old cards that are still to be ended, by registration: their fresh ones were
    /// started, and they are closed and have not died.
    func replaced(_ claim: DeliveryClaim, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [Registration]
    /// Writes down what came of ends that were sent. An old card whose end is to be tried again is
    /// due then, and the others need none any more. Nothing is due for those that have died
    /// meanwhile.
    func recordEnds(_ claim: DeliveryClaim, _ results: [PhoneResult]) async throws(EventStoreError)
}
