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
        isFaulted = !row.isNull(10)
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
            guard try Moment(row.timestamp(8)) == folded.updatedAt,
                try row.optionalMoment(11) == folded.dueAt,
                try row.optionalMoment(13) == facts.promisedAt,
                try row.optionalMoment(14) == facts.expectedAt,
                try row.optionalMoment(15) == facts.actualAt,
                try row.optionalMoment(16) == facts.startsAt
            else { return false }
            return row.holds(4, folded.phase.rawValue) && row.holds(5, folded.state)
                && row.holds(6, folded.attributes) && row.holds(7, folded.contentState)
                && (!withDispatch || row.holds(9, folded.dispatch))
                && row.holds(17, facts.competition) && row.holds(18, facts.words.stored)
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
