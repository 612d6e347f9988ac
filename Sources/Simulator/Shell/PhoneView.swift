public import Domain
public import JSON
public import Projections

/// One phone as a tester sees it.
public struct PhoneView: Sendable, Codable {
    public struct Activity: Sendable, Codable {
        public var activity: ActivityID
        public var kind: String
        /// Of a card that listens to a broadcast channel instead of having a push token.
        public var channel: String?
        public var phase: CardPhase
        /// What a person sees; nil once the card is gone, or when it was stale at its start.
        public var shows: Presentation?
        public var alerts: Int
        public var lastAlert: Alert?
        public var lastTimestamp: Int64?
        public var startedAt: Moment
        public var staleAt: Moment?
        public var endedAt: Moment?
        public var dismissAt: Moment?
        public var relevanceScore: Double?
        /// The attributes as the stock encoder writes them back.
        public var attributes: JSON
        /// The `ContentState` as the stock encoder writes it back.
        public var contentState: JSON
    }

    public var id: PhoneID
    public var name: String
    public var environment: APNsEnvironment
    public var iosVersion: IOSVersion
    /// The app never wakes to obtain the update tokens of cards that pushes start.
    public var appKilled: Bool
    public var frequentUpdates: Bool
    /// Nothing reaches it.
    public var away: Bool
    public var activities: [Activity]
    /// Oldest first; nil in lists.
    public var log: [PhoneLogEntry]?
}

extension PhoneView {
    init(_ phone: PhoneMachine, isAway: Bool, withLog: Bool) {
        id = phone.id
        name = phone.name
        environment = phone.environment
        iosVersion = phone.traits.system
        appKilled = phone.traits.isAppKilled
        frequentUpdates = phone.traits.allowsFrequentUpdates
        away = isAway
        activities = phone.cards.map { Activity($0) }
        log = withLog ? phone.log : nil
    }
}

extension PhoneView.Activity {
    fileprivate init(_ card: Card) {
        activity = card.activity
        kind = card.kind.name
        channel = card.channel
        phase = card.phase
        shows = card.presentation
        alerts = card.alertCount
        lastAlert = card.lastAlert
        lastTimestamp = card.lastTimestamp
        startedAt = card.startedAt
        staleAt = card.staleAt
        endedAt = card.endedAt
        dismissAt = card.dismissAt
        relevanceScore = card.relevanceScore
        attributes =
            (try? WireCoder.decode(JSON.self, from: card.face.attributes)) ?? .null
        contentState =
            (try? WireCoder.decode(JSON.self, from: card.face.contentState)) ?? .null
    }
}
