import Domain
import EventStore
import Foundation
import Postgres

extension Snapshot {
    static let list = ColumnList<Snapshot>([
        .text("activity_id", \.activityID.rawValue) {
            (row, place, snapshot) throws(PostgresError) in
            snapshot.activityID = try row.activity(place)
        },
        .text("kind", \.kind) { (row, place, snapshot) throws(PostgresError) in
            snapshot.kind = try row.text(place)
        },
        .int8("version", \.version) { $0.version = $1 },
        .int8("position", \.position) { $0.position = $1 },
        .choice("phase", \.phase) { $0.phase = $1 },
        .json("state", \.state) { $0.state = $1 },
        .json("attributes", \.attributes) { $0.attributes = $1 },
        .json("content_state", \.contentState) { $0.contentState = $1 },
        .moment("updated_at", \.updatedAt) { (row, place, snapshot) throws(PostgresError) in
            snapshot.updatedAt = try row.moment(place)
        },
        .json("dispatch", \.dispatch) { $0.dispatch = $1 },
        .text("fault", \.fault) { (row, place, snapshot) throws(PostgresError) in
            snapshot.fault = try row.optionalText(place)
        },
        .moment("due_at", \.dueAt) { $0.dueAt = $1 },
        .int4("fold_version", \.foldVersion) { $0.foldVersion = $1 },
        .moment("promised_at", \.facts.promisedAt) { $0.facts.promisedAt = $1 },
        .moment("expected_at", \.facts.expectedAt) { $0.facts.expectedAt = $1 },
        .moment("actual_at", \.facts.actualAt) { $0.facts.actualAt = $1 },
        .moment("starts_at", \.facts.startsAt) { $0.facts.startsAt = $1 },
        .text("competition", \.facts.competition) {
            (row, place, snapshot) throws(PostgresError) in
            snapshot.facts.competition = try row.optionalText(place)
        },
        .text("words", \.facts.words.stored) { (row, place, snapshot) throws(PostgresError) in
            snapshot.facts.words = SearchWords(stored: try row.text(place))
        },
    ])

    /// For `init(_: Row)`.
    static let columns = list.names

    private static let blank = Snapshot(
        activityID: ActivityID(rawValue: ""), kind: "", version: 0, position: 0, phase: .live,
        state: Data(), attributes: Data(), contentState: Data(),
        updatedAt: Moment(microseconds: 0))

    init(_ row: Row, from first: Int = 0) throws(PostgresError) {
        self = Self.blank
        try Self.list.read(row, from: first, into: &self)
    }

    static let replaceStored = replaceStored(but: ["activity_id"])
    /// For snapshots that are not stored yet, or with the same words.
    static let replaceStoredButWords = replaceStored(but: ["activity_id", "words"])

    private static func replaceStored(but left: Set<String>) -> String {
        let replaced = columns.columnNames.filter { !left.contains($0) }
            .map { "\($0) = excluded.\($0)" }
        return """
            ON CONFLICT ON CONSTRAINT snapshot_key DO UPDATE SET \(replaced.joined(separator: ", "))
            """
    }
}

extension Statement {
    static func write(
        _ snapshots: [Snapshot], _ tenant: TenantID, _ generation: Int32
    ) -> Statement {
        Statement(
            """
            INSERT INTO snapshot (tenant, generation, \(Snapshot.columns))
            SELECT $1, $2, i.* FROM \(Snapshot.list.unnested(from: 3)) AS i
            \(Snapshot.replaceStored)
            """,
            [.tenant(tenant), .int4(generation)] + Snapshot.list.arrays(snapshots))
    }
}
