/// How much of a tenant is moved at once, and how long others wait for it.
extension Limits {
    /// Rows of a tenant that moves, in one statement: of the largest there are some 10 MB.
    static let moveRowsMax = 500
    /// Rows that have changed meanwhile, likewise: hardly any are large.
    static let moveNotesMax = 2_000
    /// So many at most where a row refers to one whose change was noted later.
    static let moveRoundNotesMax = 16 * moveNotesMax
    /// A table is compared in one statement, however many rows of the tenant it has.
    static let moveCallSecondsMax = 3_600.0
    /// What locks a table is tried for a third of a second at a time, so that nobody waits behind
    /// it for longer.
    static let moveLockAttemptsMax = 100
    /// Tries, a tenth of a second apart, to be the one process that moves a tenant.
    static let moverAttemptsMax = 20
    /// After so many rounds less must be left than before them, or the tenant counts as too lively.
    static let moveRoundsMax = 100
    /// Keys of rows that may change between the comparison of all and the fence; some 100 MB.
    static let moveChangedMax = 500_000
    /// How often a page is put that refers to something younger.
    static let moveAttemptsMax = 20
    /// Nothing is claimed for so long while what is under way ends; by itself it is over then.
    static let moveClosedSeconds = 20.0
    static let moveClosingsMax = 3
    /// A fence ends by itself after so long, whatever becomes of the move.
    static let moveFencedSeconds = 30.0
}
