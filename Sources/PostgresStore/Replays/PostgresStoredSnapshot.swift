import Domain
import EventStore
import Postgres

struct PostgresStoredSnapshot: StoredSnapshot {
    private enum Content: Sendable {
        case row(Row)
        case decoded(Snapshot)
    }

    private var content: Content
    let activityID: ActivityID
    let version: Int64
    let position: Int64
    let isFaulted: Bool

    /// - Parameter row: of `Snapshot.columns`.
    init(_ row: Row) throws(PostgresError) {
        content = .row(row)
        activityID = ActivityID(rawValue: try row.text(0))
        version = try row.int8(2)
        position = try row.int8(3)
        isFaulted = !row.isNull(8)
    }

    /// Whether it says just what was folded, byte by byte. One of other bytes may still mean the
    /// same.
    /// - Parameter withDispatch: false where the dispatch machine stands elsewhere.
    func says(
        _ folded: Snapshot, withDispatch: Bool
    ) throws(EventStoreError) -> Bool {
        guard case .row(let row) = content, version == folded.version else { return false }
        let facts = folded.facts
        do throws(PostgresError) {
            guard try Moment(row.timestamp(6)) == folded.updatedAt,
                try row.optionalMoment(9) == folded.dueAt,
                try row.optionalMoment(11) == facts.promisedAt,
                try row.optionalMoment(12) == facts.expectedAt,
                try row.optionalMoment(13) == facts.actualAt,
                try row.optionalMoment(14) == facts.startsAt,
                row.holds(4, folded.phase.rawValue), row.holds(15, facts.competition),
                row.holds(16, facts.words.stored), row.holds(17, folded.awaits)
            else { return false }
            let texts = [folded.state, folded.attributes, folded.contentState]
            guard try PackedTexts.areThere(texts, row, 5) else { return false }
            guard withDispatch else { return true }
            return try PackedTexts.areThere([folded.packedDispatch], row, 7)
        } catch { throw EventStoreError(error) }
    }

    func snapshot() throws(EventStoreError) -> Snapshot {
        switch content {
        case .row(let row):
            do throws(PostgresError) { return try Snapshot(row) } catch {
                throw EventStoreError(error)
            }
        case .decoded(let snapshot): return snapshot
        }
    }

    /// For whoever keeps it for long: a row keeps in memory all that were read with it.
    func keeping() throws(EventStoreError) -> any StoredSnapshot {
        guard case .row = content else { return self }
        var kept = self
        kept.content = .decoded(try snapshot())
        return kept
    }
}
