public import Domain

/// What the database knows of all nodes and tenants together, as one look found it. Counts end at a
/// bound: more of them is the same alarm.
public struct FleetFacts: Hashable, Sendable {
    /// What waits, and how long the one has waited that was due first.
    public struct Waiting: Hashable, Sendable {
        public var count: Int
        public var seconds: Double

        public init(count: Int = 0, seconds: Double = 0) {
            self.count = count
            self.seconds = seconds
        }
    }

    public struct Webhooks: Hashable, Sendable {
        /// In use, and something arrived at the last try.
        public var working = 0
        /// In use, and nothing has arrived since a failure.
        public var failing = 0
        public var disabled = 0
        /// Messages that failed and are tried again.
        public var messagesWaiting = 0

        public init() {}
    }

    public struct Standbys: Hashable, Sendable {
        public var connected = 0
        /// Those that commits wait for; nil when the user may not see that.
        public var synchronous: Int?
        /// How far the one behind most is; nil likewise.
        public var replaySecondsMax: Double?

        public init() {}
    }

    public struct Table: Hashable, Sendable {
        public var name: String
        /// With its indexes.
        public var bytes: Int64
        /// As the statistics have it.
        public var rows: Double

        public init(name: String, bytes: Int64, rows: Double) {
            self.name = name
            self.bytes = bytes
            self.rows = rows
        }
    }

    /// What the database's clock said.
    public var time: Moment
    /// Decisions to push that are due and not carried out.
    public var unsent = Waiting()
    /// Phones that are owed a push, without those whose app is stopped; the seconds are how long
    /// the first of them is overdue.
    public var owed = Waiting()
    /// Activities that a node has claimed, by the node's name.
    public var claims: [String: Int] = [:]
    public var standbys = Standbys()
    public var deadLetters: [DeadLetter.Carrier: Int] = [:]
    /// Events that could not be folded and are not skipped.
    public var parked = 0
    /// Apps that nothing is sent for: APNs refuses their pushes, or phones wait and they have no
    /// key.
    public var stoppedApps: [AppSuspension: Int] = [:]
    public var webhooks = Webhooks()
    /// Tenants on their way to or from another cell.
    public var moves: [MovingTenant] = []
    public var tables: [Table] = []
    /// Of the database's sessions, how long the oldest transaction has been open.
    public var transactionSeconds: Double = 0
    /// How far the database's clock is behind what the database has dated. Until it has come that
    /// far, nothing is sent of what was sent by the time that was ahead.
    public var clockBehindSeconds: Double = 0
    /// More says that it was set back: two machines between which Postgres changes over differ by
    /// less.
    public static let clockBehindSecondsMax: Double = 2

    public init(time: Moment) { self.time = time }
}
