enum Limits {
    /// How long another process may have a file that is added to. A part of the ledger is written
    /// in a moment.
    static let fileLockSecondsMax = 30
    static let fileLockPollMillis = 20
    /// Events in one segment file. What a crash costs at most is one segment written again, about
    /// two seconds of work; ten million events are a hundred files.
    static let segmentEventsMax = 100_000
    /// Bytes after which a segment ends early: a file that every tool still opens.
    static let segmentBytesMax = 256 * 1_024 * 1_024
    /// The same in a bucket, where a segment is in memory twice while it is sent: with the
    /// page that goes beyond it some 200 MiB at most, and rarely reached.
    static let bucketSegmentBytesMax = 64 * 1_024 * 1_024
    /// Bytes of one object, for an export in a single one.
    static let objectBytesMax = 256 * 1_024 * 1_024
    /// Bytes asked of a bucket at a time: enough that the way there and back does not matter.
    static let bucketReadBytes = 8 * 1_024 * 1_024
    /// Events read from the log at a time. At 64 KiB of data each that is 32 MiB; an export has
    /// three times as much at most: the page that comes, and the one that goes with its lines.
    static let pageEvents = 500
    /// Room made for a line before it is written; no bound.
    static let usualLineBytes = 512
    /// Events recorded in one transaction: it locks the tenant's head, for which appends wait.
    static let batchEvents = 500
    /// Bytes of event data recorded in one transaction. An import has two batches: one is
    /// recorded while the next is read.
    static let batchBytesMax = 16 * 1_024 * 1_024
    static let readBytes = 1_024 * 1_024
    /// Bytes of one line. An event's data is at most 64 KiB as sent, but Postgres writes `1e300`
    /// with three hundred zeros.
    static let lineBytesMax = 8 * 1_024 * 1_024
    /// Bytes of an event's data and extension attributes that are imported. The API takes 64 KiB of
    /// data; in logs of older versions exponents are written out, and pseudonyms are longer than
    /// short names.
    static let dataBytesMax = 1_024 * 1_024
    /// Members that no schema names which a redaction names one by one.
    static let unlistedMembersMax = 20
    /// Depth of an event's data; deeper ones are masked as a whole. Postgres and the
    /// API take less.
    static let nestingMax = 512
    /// Bytes of a manifest: 100,000 segments, ten thousand million events.
    static let manifestBytesMax = 64 * 1_024 * 1_024
    /// What a manifest's positions may be: what comes after one can still be counted.
    static let positionMax: Int64 = 9_007_199_254_740_991
    /// What it may say of one segment's events and bytes (16 TiB, for an export in one file), and
    /// how many segments there may be: all of them together still fit into a number.
    static let segmentFigureMax = 1 << 44
    static let segmentsMax = 200_000
    /// Places of archives that a message names; each night adds one.
    static let placesNamedMax = 5
    /// Tries to remove a tenant, each with what its clock has reported since the one before. From
    /// the end of an archive to the removal it takes some milliseconds.
    static let removalsMax = 10
    /// Activities whose ledger is written at once, before they are dropped.
    static let activitiesNotedAtOnce = 200
    /// Activities that are dropped in one commit, which takes some 5 ms: longer ones keep what is
    /// recorded waiting.
    static let activitiesDroppedAtOnce = 10
}
