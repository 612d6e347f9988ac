/// Bounds of the module, each with its reason.
public enum Limits {
    /// Events folded in one transaction.
    static let batchEventsMax = 500
    /// How long a batch is folded while there is more of it: other tenants wait for it, and so does
    /// its transaction, which would be taken for that of a node that stands still. Most batches
    /// take less, however many events they have.
    static let batchMillisMax = 100
    /// The node that recorded it is about to fold an event that waits for less than this.
    static let foldedSoonSeconds = 0.2
    /// How often to look for events that wait although nobody said so: a lost notification costs
    /// this much.
    static let foldPollSeconds = 1
    /// Events read at a time for a rebuild: some three megabytes. The cores wait for each other at
    /// the end of a page, and the larger it is, the more evenly it is shared out.
    static let rebuildPageEvents = 12_500
    /// Events between two commits of a rebuild, which is what an interruption costs: a second or
    /// less of work. An activity's events stand close together, so its snapshot is written a few
    /// times and not for each of them.
    static let rebuildFlushEvents: Int64 = 50_000
    /// Activities that a rebuild keeps in memory: some 100 MB.
    static let rebuildActivitiesMax = 50_000
    /// Cores that a rebuild uses at most: the database needs some too.
    static let rebuildShardsMax = 8
    /// How long a rebuild is worked on while those of other tenants wait: going on costs to read
    /// the snapshots again that it was in the middle of.
    static let rebuildTurnSeconds: Double = 30
    /// How often to look for a rebuild that somebody asked for.
    static let rebuildPollSeconds = 2
    /// Due activities looked at at once, and so events of the clock in one append.
    static let pageDue = 500
    /// How often the clock looks although nothing it knows of is due: a time that was set since
    /// comes so much late at most. People do not see it, and phones know most times by themselves.
    static let clockPollSeconds: Double = 2
    /// A snapshot that this version cannot read is looked at again after this long.
    static let unreadableSeconds: Double = 3_600
    /// Between two looks at what logs take up: a tenant can be over its quota by what it may append
    /// in this time.
    static let storageLookSeconds: Double = 5
    /// A tenant's registrations are counted again when one of so many parts of the room that it had
    /// left was let in: so many nodes that each let in as many do not exceed it together.
    static let countedParts = 10
    /// A count rests for so many times as long as it took: it takes a fiftieth of the time at most,
    /// however close to its bound a tenant stays.
    static let countRestShare = 50
    /// Between two looks for sessions whose node stands still. The store's `stuckLooksMax` of them
    /// find one that is ended, so that what it kept is others' within 15 s, as it is by the
    /// `silentSessionSecondsMax` of an idle session.
    static let sessionLookSeconds: Double = 2.5
    /// A node that runs so much late has stood still: it is worth a line in the log.
    static let standstillSeconds: Double = 5
    /// How often the lag is looked at, at most and at least. A look costs a row per tenant.
    static let lagLookSecondsMin: Double = 0.2
    static let lagLookSecondsMax: Double = 5
    /// Looks at most so far apart, without an answer, after which the last one says nothing of now.
    static let lagLooksMissed: Double = 4
    /// How often a node looks whether the log is still the one it works on: after a promotion
    /// nothing is sent before somebody has looked. A look takes a fraction of a millisecond.
    static let identityLookMillis = 500
    /// After a failed one.
    static let identityRetryMillis = 200
    /// How often a node leaves a sign of life: a log that was set back by less is noticed by the
    /// positions that nodes have acknowledged.
    static let beatSeconds: Double = 5
    /// Tenants of which a metric says how far each is behind: who looks at them wants the worst,
    /// and a row for each of thousands would be no help.
    static let worstLagsMax = 5
    /// How often what nobody needs any more is removed.
    public static let sweepSeconds: Double = 3_600
    /// Between two commits of that.
    static let sweepRestMillis = 50
    /// Charts are of minutes: one row of each tenant that has done something, six times a minute.
    static let seriesWriteSeconds = 10
    /// About once an hour.
    static let seriesWritesPerPrune = 360
}
