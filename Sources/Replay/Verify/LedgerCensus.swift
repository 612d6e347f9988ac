import EventStore

/// Counts the ledger's rows along the log. Where the counts are those of a sound ledger no row
/// need be looked for one by one, which takes the database as long as all the rest.
actor LedgerCensus {
    private let checkpoint: Int64
    /// Rows of the versions that were come by.
    private(set) var rows = 0
    /// Each event that was come by has been folded and has its row, and there is no other of them.
    private(set) var isComplete = true

    init(checkpoint: Int64) { self.checkpoint = checkpoint }

    /// Takes in a stretch of which the rows themselves are compared elsewhere.
    func take(_ ledger: LedgerPage, through position: Int64) {
        rows += ledger.count
        isComplete = isComplete && position <= checkpoint
    }

    /// Of a version there is one row at most, so as many rows as versions are one of each.
    func take(_ tallies: [Int64], of page: HistoryPage, through position: Int64) {
        isComplete = isComplete && position <= checkpoint
        for (owner, tally) in tallies.enumerated() {
            rows += Int(tally)
            let versions = page.versions[owner]
            let areDense = page.counts[owner] == versions.upperBound - versions.lowerBound + 1
            isComplete = isComplete && areDense && tally == page.counts[owner]
        }
    }
}
