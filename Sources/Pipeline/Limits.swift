/// Bounds of the module, each with its reason.
enum Limits {
    /// Events read at a time for a rebuild: some megabyte.
    static let rebuildPageEvents = 4_000
    /// Events between two commits of a rebuild, which is what an interruption costs: a second or
    /// less of work. An activity's events stand close together, so its snapshot is written a few
    /// times and not for each of them.
    static let rebuildFlushEvents: Int64 = 100_000
    /// Activities that a rebuild keeps in memory: some 100 MB.
    static let rebuildActivitiesMax = 50_000
    /// Cores that a rebuild uses at most: the database needs some too.
    static let rebuildShardsMax = 8
    /// How often to look for a rebuild that somebody asked for.
    static let rebuildPollSeconds = 2
}
