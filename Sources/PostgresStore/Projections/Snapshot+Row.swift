import Domain
import Foundation
import Postgres

extension Snapshot: RowDecodable {
    static let list = ColumnList<Snapshot>([
        .text("activity_id", \.activityID.rawValue) { $0.activityID = ActivityID(rawValue: $1) },
        .text("kind", \.kind) { $0.kind = $1 },
        .int8("version", \.version) { $0.version = $1 },
        .int8("position", \.position) { $0.position = $1 },
        .choice("phase", \.phase) { $0.phase = $1 },
        folded,
        .moment("updated_at", \.updatedAt) { $0.updatedAt = $1 },
        dispatched,
        .optionalText("fault", \.blockage) { $0.blockage = $1 },
        .optionalMoment("due_at", \.dueAt) { $0.dueAt = $1 },
        .int4("fold_version", \.foldVersion) { $0.foldVersion = $1 },
        .optionalMoment("promised_at", \.facts.promisedAt) { $0.facts.promisedAt = $1 },
        .optionalMoment("expected_at", \.facts.expectedAt) { $0.facts.expectedAt = $1 },
        .optionalMoment("actual_at", \.facts.actualAt) { $0.facts.actualAt = $1 },
        .optionalMoment("starts_at", \.facts.startsAt) { $0.facts.startsAt = $1 },
        .optionalText("competition", \.facts.competition) { $0.facts.competition = $1 },
        .text("words", \.facts.words.stored) { $0.facts.words = SearchWords(stored: $1) },
        .optionalText("awaits", \.awaits) { $0.awaits = $1 },
    ])

    /// Those of some activities. Each is looked up by its key: given a list of names, the planner
    /// reads all snapshots of a tenant instead.
    /// - Parameters:
    ///   - names: a `text[]` parameter, such as `$3`.
    ///   - generation: an expression of SQL.
    private static func select(of names: String, generation: String) -> String {
        """
        SELECT \(columns) FROM unnest(\(names)::text[]) AS a (id) CROSS JOIN LATERAL (
            SELECT * FROM snapshot
            WHERE tenant = $1 AND generation = \(generation) AND activity_id = a.id LIMIT 1
        ) s
        """
    }

    private static let folded = Column<Snapshot>.packed(
        "folded",
        [
            .json(\.state) { $0.state = $1 }, .json(\.attributes) { $0.attributes = $1 },
            .json(\.contentState) { $0.contentState = $1 },
        ]
    ) { alias in
        let stored = ["state", "attributes", "content_state"].map { "\(alias)\($0)::text" }
        return "plain_texts(ARRAY[\(stored.joined(separator: ", "))])"
    }

    /// Null while nothing was decided.
    static let dispatched = Column<Snapshot>.packed(
        "dispatched",
        [.json({ $0.dispatch == Snapshot.blank.dispatch ? nil : $0.dispatch }) { $0.dispatch = $1 }]
    ) { alias in
        """
        CASE WHEN \(alias)folded IS NULL AND \(alias)dispatch::text <> '{}'
            THEN plain_texts(ARRAY[\(alias)dispatch::text]) END
        """
    }

    /// As `init(from:)` reads them.
    static let columns = list.sources

    /// $1 tenant, $2 activity.
    static let live = """
        SELECT \(columns) FROM snapshot
        WHERE tenant = $1 AND generation = live_generation($1) AND activity_id = $2
        """

    /// $1 tenant, $2 generation, $3 activities.
    static let several = select(of: "$3", generation: "$2")

    /// $1 tenant, $2 activities. Likewise of the live generation.
    static let severalLive = select(of: "$2", generation: "(SELECT live_generation($1))")

    private static let blank = Snapshot(
        activityID: ActivityID(rawValue: ""), kind: "", version: 0, position: 0, phase: .live,
        state: Data(), attributes: Data(), contentState: Data(),
        updatedAt: Moment(microseconds: 0))

    init(from row: inout RowReader) throws(PostgresError) {
        self = Self.blank
        try Self.list.read(&row, into: &self)
    }

    /// All but the first, which is a part of the key.
    private static let replaced = list.columns.dropFirst()
        .map { "\($0.name) = excluded.\($0.name)" }.joined(separator: ", ")

    static let replaceStored = """
        ON CONFLICT ON CONSTRAINT snapshot_key DO UPDATE SET
            \(replaced),
            state = NULL, attributes = NULL, content_state = NULL, dispatch = NULL
        """
}

extension Statement {
    /// Of the live generation.
    static func write(_ snapshots: [Snapshot], _ tenant: TenantID) -> Statement {
        Statement(
            """
            INSERT INTO snapshot (tenant, generation, \(Snapshot.list.names))
            SELECT $1, live_generation($1), i.* FROM \(Snapshot.list.unnested(from: 2)) AS i
            \(Snapshot.replaceStored)
            """,
            [.tenant(tenant)] + Snapshot.list.arrays(snapshots))
    }
}
