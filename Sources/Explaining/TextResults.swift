import Domain
public import EventStore

/// What an activity's ledger says of the results of its texts, from rows around them.
public struct TextResults: Sendable {
    private var rows: [LedgerRow] = []
    private var bytes = 0
    /// Whether reading ended at a bound, before all was found.
    private var isCut = false
    /// Places of the rows by version.
    private var places: [Int64: Int] = [:]
    /// Decisions by the version whose push carried them, in order.
    private var pushes: [Int64: [Decision]] = [:]
    /// By version, the one whose push carried it.
    private var carriers: [Int64: Int64] = [:]
    /// By version of a text that quiet hours kept back, the place of the row that sends it or gives
    /// it up.
    private var ends: [Int64: Int] = [:]

    /// - Parameter rows: in order.
    public init(among rows: [LedgerRow]) { add(rows) }

    private mutating func add(_ more: [LedgerRow]) {
        for row in more {
            let (place, decision) = (rows.count, row.decision)
            rows.append(row)
            bytes += row.textBytes
            places[decision.version] = place
            if let carriedBy = row.outcome?.carriedBy {
                carriers[decision.version] = carriedBy
                pushes[carriedBy, default: []].append(decision)
            }
            guard let alertContext = decision.alertContext else { continue }
            for version in alertContext.dropped + alertContext.carried.map(\.version)
            where ends[version] == nil {
                ends[version] = place
            }
        }
    }

    /// Reads of the ledger what concerns the texts of some rows of it.
    /// - Parameter wanted: as they follow each other in the ledger.
    public static func read<Record: ActivityRecord>(
        about wanted: some Collection<LedgerRow>, in record: Record
    ) async throws(Record.Failure) -> TextResults {
        let speaking = wanted.filter { $0.wasKeptBack || ($0.speaks && $0.outcome != nil) }
        guard let first = wanted.first?.decision.version, !speaking.isEmpty else {
            return TextResults(among: [])
        }
        // Only what comes later can carry what was kept back; a push carries earlier ones as well.
        let merging = speaking.filter { !$0.wasKeptBack }.map(\.decision.version)
        let after = max(0, (merging.min() ?? .max) - Limits.rowsBefore)
        var rows: [LedgerRow] = []
        if after + 1 < first {
            rows = try await record.rows(after: after, limit: Int(first - after - 1))
                .filter { $0.decision.version < first }
        }
        var results = TextResults(among: rows + wanted)
        while let last = results.rows.last?.decision.version {
            if speaking.allSatisfy({ results.lastVersion(about: $0) <= last }) { break }
            guard results.rows.count < Limits.rowsMax, results.bytes < Limits.rowBytesMax else {
                results.isCut = true
                break
            }
            let page = try await record.rows(after: last, limit: Limits.pageRows)
            results.add(page)
            if page.count < Limits.pageRows { break }
        }
        return results
    }

    /// - Parameter wanted: some of the rows.
    /// - Returns: by version.
    public func results(of wanted: some Collection<LedgerRow>) -> [Int64: TextResult] {
        var results: [Int64: TextResult] = [:]
        var worded: [Int64: [Int64: [Int64]]] = [:]
        for row in wanted {
            var result = TextResult(outcome: outcome(of: row))
            if let carriedBy = row.outcome?.carriedBy,
                row.decision.alertContext?.amendments.isEmpty == false
            {
                let versions =
                    worded[carriedBy]
                    ?? TextOutcome.versionsWorded(
                        carriedBy: carriedBy, in: pushes[carriedBy] ?? [])
                worded[carriedBy] = versions
                result.reworded = versions[row.decision.version] ?? []
            }
            results[row.decision.version] = result
        }
        return results
    }

    /// Nil for one that was not read.
    func row(of version: Int64) -> LedgerRow? { places[version].map { rows[$0] } }

    private func outcome(of row: LedgerRow) -> TextOutcome? {
        if row.wasKeptBack {
            // What sends it, or takes it back, may be in a row that was not read.
            if isCut, lastVersion(about: row) > (rows.last?.decision.version ?? 0) { return nil }
            return TextOutcome(
                of: row.decision, carriedBy: row.outcome?.carriedBy,
                among: decisions(after: row.decision.version), carriers: carriers)
        }
        guard let carriedBy = row.outcome?.carriedBy else { return nil }
        return TextOutcome(
            of: row.decision, carriedBy: carriedBy, among: pushes[carriedBy] ?? [])
    }

    /// Those up to the push that says what quiet hours kept back of a version, and it; none while
    /// it waits.
    private func decisions(after version: Int64) -> [Decision] {
        guard let start = places[version], let end = ends[version] else { return [] }
        let last = pushEnd(at: end)
        return rows[start...].prefix { $0.decision.version <= last }.map(\.decision)
    }

    /// Up to which version rows can say something of a row's text.
    private func lastVersion(about row: LedgerRow) -> Int64 {
        guard row.wasKeptBack else { return row.outcome?.carriedBy ?? 0 }
        return ends[row.decision.version].map { pushEnd(at: $0) } ?? .max
    }

    /// Version up to which changes belong to the push of the row at a place.
    private func pushEnd(at place: Int) -> Int64 {
        let version = rows[place].decision.version
        return carriers[version] ?? version
    }
}
