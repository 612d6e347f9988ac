/// Every bound of this module, with its why.
enum Limits {
    /// Parked events read at once.
    static let pageParked = 500
    /// API keys read at once where all are asked for.
    static let pageKeys = 1_000
    /// Keys of an app that cover the same environment: the one in use, and the one it takes over
    /// from.
    /// Source: Establishing a token-based connection to APNs (two keys per environment).
    static let keysPerEnvironmentMax = 2
    /// Tenants of which a node remembers what it has acknowledged: 50 KB.
    static let rememberedHeadsMax = 1_000
    /// A promotion that no node has seen needs nobody's hand when the last sign of life before it
    /// is no older: failing over takes seconds, and restoring a backup takes longer.
    static let unwitnessedSilenceSecondsMax: Double = 120
    /// A node whose calls of one kind have done nothing but fail for so long is not ready: longer
    /// than it takes to connect again, shorter than callers have patience for.
    static let failingSecondsMax = 5
    /// How often it is looked whether calls have stopped working: readiness is asked for as often.
    static let healthLookMillis = 1_000
    /// Between two probes of what is in doubt.
    static let probeRestSeconds = 2
    /// Minutes of tenants whose figures wait to be written: an hour of 160 tenants, some 5 MB.
    static let waitingSeriesRowsMax = 10_000
    /// The longest of APNs' reasons has 31.
    static let seriesReasonCharactersMax = 40
}
