/// Bounds of reading the log.
enum Limits {
    /// Events of one activity, or rows beside them, read at once: large enough to be fast, small
    /// enough to keep memory flat.
    static let pageEvents = 1000
    /// Positions of a whole log read at once. The cores wait for each other at the end of a page,
    /// and the larger it is, the more evenly it is shared out; 12 megabytes with the ledger.
    static let walkPageEvents: Int64 = 10_000
    /// Stretches that a database is asked for at once. With one the cores would wait for it after
    /// each stretch, as it gets little of their time while they all walk.
    static let readsAtOnceMax = 2
    /// Cores that a walk uses at most: the database needs some too.
    static let walkersMax = 8
    /// Defects named one by one; a broken disk would otherwise print the whole log.
    static let defectsNamedMax = 100
    /// Activities looked at on either side of one that does not exist.
    static let neighbours = 1000
    /// The activities that a change of policy affects most.
    static let affectedNamed = 10
    /// Snapshots that differ between two folds, named one by one.
    static let differencesNamedMax = 20
    /// Events out of their versions that one walker looks into: some 50 megabytes.
    static let versionGapsMax = 1_000_000
}
