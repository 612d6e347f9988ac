public import Domain

/// A webhook that this node sends to until the lease ends, which each page renews.
public struct WebhookLease: Hashable, Sendable {
    public var webhook: Webhook
    public var name: String
    /// What the clock said.
    public var takenAt: Moment
    /// Place of the last change that was dealt with.
    public var place: ActivityChange.Place
    /// Position up to which it had been sent all when there was last nothing more to send. An
    /// activity comes with its newest change, so what an earlier page has passed over of it is
    /// looked for from here.
    public var allSentUpTo: Int64
    /// By activity, of the messages that were delivered under this lease.
    public var deliveredVersions: [ActivityID: Int64] = [:]
    /// Of the newest secret that its messages are signed with; nil until the secrets are read.
    public var secretID: Int64?
    /// Of the log whose changes it gets.
    public var epoch: Int64
    public var rejections: RejectionProgress

    public init(
        webhook: Webhook, name: String, takenAt: Moment, place: ActivityChange.Place,
        allSentUpTo: Int64? = nil, epoch: Int64 = firstLogEpoch, rejections: RejectionProgress
    ) {
        self.webhook = webhook
        self.name = name
        self.takenAt = takenAt
        self.place = place
        self.allSentUpTo = allSentUpTo ?? place.position
        self.epoch = epoch
        self.rejections = rejections
    }
}

/// A message that did not arrive.
public struct WaitingMessage: Hashable, Sendable {
    public var activityID: ActivityID
    /// Version of the newest decision that the receiver knows of.
    public var after: Int64
    /// Of the newest one that was sent.
    public var version: Int64
    public var attempts: Int
    public var firstTriedAt: Moment

    public init(
        activityID: ActivityID, after: Int64, version: Int64, attempts: Int, firstTriedAt: Moment
    ) {
        self.activityID = activityID
        self.after = after
        self.version = version
        self.attempts = attempts
        self.firstTriedAt = firstTriedAt
    }
}

/// A page of what a webhook is to be sent.
public struct WebhookWork: Sendable {
    public struct Item: Sendable {
        /// Nil when nothing is left of the activity.
        public var snapshot: Snapshot?
        /// Decisions for webhooks of which the receiver does not know, oldest first; also one that
        /// it knows and gets again.
        public var pending: [Decision]
        public var waiting: WaitingMessage?
        /// Version of the newest decision whose words the receiver has had.
        public var known: Int64
        /// When a person's data were erased of the activity last: what was decided before says
        /// something else since.
        public var erasedAt: Moment?

        public init(snapshot: Snapshot?, pending: [Decision], waiting: WaitingMessage?) {
            self.snapshot = snapshot
            self.pending = pending
            self.waiting = waiting
            known = waiting?.after ?? 0
        }
    }

    /// An activity once.
    public var items: [Item] = []
    /// How far the webhook has come with them.
    public var place: ActivityChange.Place
    /// Nil when nothing is to be said of rejected tokens now.
    public var rejections: RejectionPage?
    /// There may be more at once.
    public var isFull: Bool
    /// There may be more changes after the place.
    public var hasMoreChanges = false
    /// What the clock says.
    public var now: Moment

    public init(
        place: ActivityChange.Place = .init(position: 0), isFull: Bool = false,
        now: Moment = Moment(microseconds: 0)
    ) {
        self.place = place
        self.isFull = isFull
        self.now = now
    }
}

/// The results of a page.
public struct WebhookResults: Sendable {
    public struct Failure: Hashable, Sendable {
        public var message: WaitingMessage
        public var reason: String
        /// Nil: it is given up.
        public var retryAt: Moment?

        public init(message: WaitingMessage, reason: String, retryAt: Moment?) {
            self.message = message
            self.reason = reason
            self.retryAt = retryAt
        }
    }

    public var place: ActivityChange.Place
    /// Of the page.
    public var hasMoreChanges = false
    public var rejections: RejectionProgress
    /// Messages that arrived, and that did not.
    public var delivered: Int
    public var failed: Int
    /// Whose message waited and does so no more.
    public var done: [ActivityID]
    /// Of the messages about activities.
    public var failures: [Failure]
    public var health: WebhookHealth
    public var stop: Webhook.Stop?

    public init(
        place: ActivityChange.Place, rejections: RejectionProgress, delivered: Int, failed: Int,
        done: [ActivityID], failures: [Failure], health: WebhookHealth, stop: Webhook.Stop?
    ) {
        self.place = place
        self.rejections = rejections
        self.delivered = delivered
        self.failed = failed
        self.done = done
        self.failures = failures
        self.health = health
        self.stop = stop
    }
}

/// The sender's side of webhooks. `now` is nil but in tests and virtual time: then the database's
/// clock counts.
public protocol WebhookFeed: Sendable {
    /// Leases of up to `limit` webhooks for which there is something to do, and no other has one.
    /// - Parameter leftToOthers: ids of webhooks that other nodes are to have.
    func take(
        _ limit: Int, _ lease: String, _ now: Moment?, except leftToOthers: [String]
    ) async throws(EventStoreError) -> [WebhookLease]
    /// What to send next: an activity once, with its newest state.
    func work(_ lease: WebhookLease, _ limit: Int, _ now: Moment?) async throws(EventStoreError)
        -> WebhookWork
    /// Writes a page's results and renews the lease.
    /// - Returns: false when there is nothing more to do with it: another one has the webhook by
    ///   now, it is turned off or gone, or it has another address, filter or secret, which the next
    ///   lease has.
    func record(_ lease: WebhookLease, _ results: WebhookResults, _ now: Moment?)
        async throws(EventStoreError) -> Bool
    /// Keeps the lease for as long again, while a page is under way.
    /// - Returns: false when another one has the webhook by now.
    func renew(_ lease: WebhookLease, _ now: Moment?) async throws(EventStoreError) -> Bool
    /// Gives the lease back.
    func release(_ lease: WebhookLease) async throws(EventStoreError)
}
