import Domain
import EventStore
import Postgres

struct PostgresStoredSnapshot: StoredSnapshot {
    private enum Content: Sendable {
        case row(Row)
        case decoded(Snapshot)
    }

    /// Of the columns that are compared as they lie in the row.
    private enum Place {
        static let activity = Snapshot.list.place(of: "activity_id")
        static let version = Snapshot.list.place(of: "version")
        static let position = Snapshot.list.place(of: "position")
        static let fault = Snapshot.list.place(of: "fault")
        static let updatedAt = Snapshot.list.place(of: "updated_at")
        static let dueAt = Snapshot.list.place(of: "due_at")
        static let promisedAt = Snapshot.list.place(of: "promised_at")
        static let expectedAt = Snapshot.list.place(of: "expected_at")
        static let actualAt = Snapshot.list.place(of: "actual_at")
        static let startsAt = Snapshot.list.place(of: "starts_at")
        static let phase = Snapshot.list.place(of: "phase")
        static let competition = Snapshot.list.place(of: "competition")
        static let words = Snapshot.list.place(of: "words")
        static let awaits = Snapshot.list.place(of: "awaits")
        static let folded = Snapshot.list.place(of: "folded")
        static let dispatched = Snapshot.list.place(of: "dispatched")
    }

    private var content: Content
    let activityID: ActivityID
    let version: Int64
    let position: Int64
    let isFaulted: Bool

    /// - Parameter row: of `Snapshot.columns`.
    init(_ row: Row) throws(PostgresError) {
        content = .row(row)
        activityID = ActivityID(rawValue: try row.text(Place.activity))
        version = try row.int8(Place.version)
        position = try row.int8(Place.position)
        isFaulted = !row.isNull(Place.fault)
    }

    func says(
        _ folded: Snapshot, withDispatch: Bool
    ) throws(EventStoreError) -> Bool {
        guard case .row(let row) = content, version == folded.version else { return false }
        let facts = folded.facts
        do throws(PostgresError) {
            guard try Moment(row.timestamp(Place.updatedAt)) == folded.updatedAt,
                try row.optionalMoment(Place.dueAt) == folded.dueAt,
                try row.optionalMoment(Place.promisedAt) == facts.promisedAt,
                try row.optionalMoment(Place.expectedAt) == facts.expectedAt,
                try row.optionalMoment(Place.actualAt) == facts.actualAt,
                try row.optionalMoment(Place.startsAt) == facts.startsAt,
                row.holds(Place.phase, folded.phase.rawValue),
                row.holds(Place.competition, facts.competition),
                row.holds(Place.words, facts.words.stored), row.holds(Place.awaits, folded.awaits)
            else { return false }
            let texts = [folded.state, folded.attributes, folded.contentState]
            guard try PackedTexts.areThere(texts, row, Place.folded) else { return false }
            guard withDispatch else { return true }
            return try PackedTexts.areThere([folded.packedDispatch], row, Place.dispatched)
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

    func keeping() throws(EventStoreError) -> any StoredSnapshot {
        guard case .row = content else { return self }
        var kept = self
        kept.content = .decoded(try snapshot())
        return kept
    }
}
