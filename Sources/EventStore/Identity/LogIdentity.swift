public import Domain

/// Why nothing is sent from a database. The raw value is what the database calls it.
public enum LogHold: String, CaseIterable, Hashable, Sendable {
    /// `islet restore hold`.
    case asked
    /// A node has seen more of this log than there is now.
    case setBack = "set-back"
    /// The database is a copy: of another cluster, or another database.
    case copied
    /// Postgres goes by another timeline since a while of silence: after a restore to a point in
    /// time, or a promotion that nobody has seen.
    case timeline
}

/// Which log a node works on, and whether it may.
public struct LogStatus: Hashable, Sendable {
    public var epoch: Int64
    public var hold: LogHold?

    public init(epoch: Int64 = firstLogEpoch, hold: LogHold? = nil) {
        self.epoch = epoch
        self.hold = hold
    }
}

/// That of a log that was never restored.
public let firstLogEpoch: Int64 = 1

/// What a look at the database shows of the log's identity.
public struct LogSighting: Hashable, Sendable {
    public var epoch: Int64
    public var hold: LogHold?
    /// Last sign of life, and how long ago it was.
    public var beatAt: Moment
    public var silenceSeconds: Double
    /// Another one whenever Postgres was started, or promoted.
    public var run: String

    public init(
        epoch: Int64, hold: LogHold?, beatAt: Moment, silenceSeconds: Double, run: String
    ) {
        self.epoch = epoch
        self.hold = hold
        self.beatAt = beatAt
        self.silenceSeconds = silenceSeconds
        self.run = run
    }
}

/// Something in a database that can only come from a later one than its log.
public enum LogInconsistency: Hashable, Sendable {
    /// The log ends before the position that it says it ends at.
    case head(tenant: String, position: Int64, last: Int64)
    case checkpoint(tenant: String, position: Int64, head: Int64)
    case webhook(tenant: String, position: Int64, head: Int64)
    /// Phones have seen timestamps that this database's clock has not come to.
    case timestamp(tenant: String, seconds: Int64)
    /// The clock is behind what the database has written down itself.
    case clock(seconds: Int64)
}

/// What `accept` is to do.
public struct LogAcceptance: Hashable, Sendable {
    /// Nothing is missing: it is the same log, in another place.
    public var isComplete: Bool
    /// How much the clock of the database before may have been ahead of this one's.
    public var aheadSeconds: Int
    /// How the log stood when somebody chose to accept it: only as long as it stands so may it be,
    /// for another one may have been quicker. Nil: however it stands.
    public var seen: LogStatus?

    public init(isComplete: Bool, aheadSeconds: Int, seen: LogStatus? = nil) {
        self.isComplete = isComplete
        self.aheadSeconds = aheadSeconds
        self.seen = seen
    }
}
