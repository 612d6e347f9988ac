public import Domain

/// Something that was given up, and that nobody has dealt with yet.
public struct DeadLetter: Hashable, Sendable {
    /// What carried it.
    public enum Carrier: String, CaseIterable, Sendable {
        /// The newest state, to a phone.
        case push
        /// The start of a card.
        case start
        case webhook
    }

    /// Names one across carriers.
    public struct ID: Hashable, Sendable {
        public var carrier: Carrier
        /// Of the registration, the phone that a card was to appear on, or the message.
        public var number: Int64
        /// Of a start: its restart version and its activity.
        public var restartVersion: Int64 = 0
        public var activity: ActivityID?

        public init(
            carrier: Carrier, number: Int64, restartVersion: Int64 = 0, activity: ActivityID? = nil
        ) {
            self.carrier = carrier
            self.number = number
            self.restartVersion = restartVersion
            self.activity = activity
        }

        /// `push-17`, `webhook-17` or `start-17-0-order-42`.
        public init?(text: String) {
            // By bytes: an activity's id may begin with an accent, which joins the hyphen.
            let parts = text.utf8.split(
                separator: UInt8(ascii: "-"), maxSplits: 3, omittingEmptySubsequences: false
            ).map { Substring($0) }
            guard let first = parts.first, let carrier = Carrier(rawValue: String(first)),
                parts.count > 1, let number = Int64(digits: parts[1])
            else { return nil }
            guard carrier == .start else {
                guard parts.count == 2 else { return nil }
                self.init(carrier: carrier, number: number)
                return
            }
            guard parts.count == 4, let restartVersion = Int64(digits: parts[2]), !parts[3].isEmpty
            else { return nil }
            self.init(
                carrier: .start, number: number, restartVersion: restartVersion,
                activity: ActivityID(rawValue: String(parts[3])))
        }

        public var text: String {
            let start = activity.map { "-\(restartVersion)-\($0.rawValue)" } ?? ""
            return "\(carrier.rawValue)-\(number)\(start)"
        }
    }

    public var id: ID
    public var activityID: ActivityID
    /// The app and its environment, or the webhook; never a push token.
    public var to: String
    /// In APNs' words, or a few of our own.
    public var reason: String
    public var attempts: Int
    /// Of the newest decision that a webhook's message carried.
    public var version: Int64?
    public var givenUpAt: Moment

    public init(
        id: ID, activityID: ActivityID, to: String, reason: String, attempts: Int,
        version: Int64? = nil, givenUpAt: Moment
    ) {
        self.id = id
        self.activityID = activityID
        self.to = to
        self.reason = reason
        self.attempts = attempts
        self.version = version
        self.givenUpAt = givenUpAt
    }
}

/// Which dead letters are wanted.
public struct DeadLetterFilter: Hashable, Sendable {
    public var activity: ActivityID?
    public var carrier: DeadLetter.Carrier?
    /// Given up at this time or later.
    public var since: Moment?

    public init() {}
}

/// Where a page of dead letters begins: after this one.
public struct DeadLetterPlace: Hashable, Sendable {
    public var givenUpAt: Moment
    public var id: DeadLetter.ID

    public init(givenUpAt: Moment, id: DeadLetter.ID) {
        self.givenUpAt = givenUpAt
        self.id = id
    }
}

/// What was given up, and what operators do about it.
public protocol DeadLetterStore: Sendable {
    /// Newest first.
    func list(
        _ tenant: TenantID, _ filter: DeadLetterFilter, _ after: DeadLetterPlace?, _ limit: Int
    ) async throws(EventStoreError) -> [DeadLetter]
    /// Of a tenant, by carrier; beyond 10,000 they are not counted.
    func counts(_ tenant: TenantID) async throws(EventStoreError) -> [DeadLetter.Carrier: Int]
    /// Has it sent again, with the newest state.
    /// - Precondition: it is no start, which must not be sent twice.
    /// - Returns: false when there is none, or somebody has dealt with it.
    func retry(_ tenant: TenantID, _ id: DeadLetter.ID) async throws(EventStoreError) -> Bool
    /// Lists it no more; nothing is sent.
    /// - Returns: false likewise.
    func dismiss(_ tenant: TenantID, _ id: DeadLetter.ID) async throws(EventStoreError) -> Bool
}
