import Domain
import Postgres

extension Snapshot {
    /// For `init(_: Row)`.
    static let columns = """
        activity_id, kind, version, position, phase, state, attributes, content_state, updated_at,
        dispatch, fault, due_at, fold_version, promised_at, expected_at, actual_at, starts_at,
        competition, words, awaits
        """
    static let columnCount = 20

    init(_ row: Row, from first: Int = 0) throws(PostgresError) {
        self.init(
            activityID: ActivityID(rawValue: try row.text(first)), kind: try row.text(first + 1),
            version: try row.int8(first + 2), position: try row.int8(first + 3),
            phase: try row.choice(first + 4), state: try row.content(first + 5),
            attributes: try row.content(first + 6), contentState: try row.content(first + 7),
            updatedAt: Moment(try row.timestamp(first + 8)),
            dispatch: try row.content(first + 9), fault: try row.optionalText(first + 10),
            dueAt: try row.optionalMoment(first + 11),
            foldVersion: Int(try row.int4(first + 12)),
            facts: try ActivityFacts(row, from: first + 13),
            awaits: try row.optionalText(first + 19))
    }
}

extension ActivityFacts {
    fileprivate init(_ row: Row, from first: Int) throws(PostgresError) {
        self.init(
            promisedAt: try row.optionalMoment(first),
            expectedAt: try row.optionalMoment(first + 1),
            actualAt: try row.optionalMoment(first + 2),
            startsAt: try row.optionalMoment(first + 3),
            competition: try row.optionalText(first + 4),
            words: SearchWords(stored: try row.text(first + 5)))
    }
}

extension Snapshot {
    private static let types = [
        "text", "text", "int8", "int8", "text", "json", "json", "json", "timestamptz", "json",
        "text", "timestamptz", "int4", "timestamptz", "timestamptz", "timestamptz", "timestamptz",
        "text", "text", "text",
    ]

    /// The rows of `columns(of:)`, from parameter `$first` on.
    static func unnested(from first: Int) -> String { Statement.unnest(types, from: first) }

    /// As many rows of `row`, from parameter `$first` on.
    static func values(_ count: Int, from first: Int) -> String {
        Statement.values(types, rows: count, from: first)
    }

    /// In the order of `columns`.
    var row: [Parameter] {
        [
            .activity(activityID), .text(kind), .int8(version), .int8(position),
            .text(phase.rawValue), .json(Array(state)), .json(Array(attributes)),
            .json(Array(contentState)), .moment(updatedAt), .json(Array(dispatch)), .text(fault),
            .moment(dueAt), .int4(Int32(clamping: foldVersion)), .moment(facts.promisedAt),
            .moment(facts.expectedAt), .moment(facts.actualAt), .moment(facts.startsAt),
            .text(facts.competition), .text(facts.words.stored), .text(awaits),
        ]
    }

    /// In the order of `columns`.
    static func columns(of snapshots: [Snapshot]) -> [Parameter] {
        [
            .texts(snapshots.map(\.activityID.rawValue)), .texts(snapshots.map(\.kind)),
            .int8s(snapshots.map(\.version)), .int8s(snapshots.map(\.position)),
            .texts(snapshots.map(\.phase.rawValue)), .jsons(snapshots.map(\.state)),
            .jsons(snapshots.map(\.attributes)), .jsons(snapshots.map(\.contentState)),
            .timestamps(snapshots.map(\.updatedAt.timestamp)),
            .jsons(snapshots.map(\.dispatch)), .texts(snapshots.map(\.fault)),
            .timestamps(snapshots.map { $0.dueAt?.timestamp }),
            .int4s(snapshots.map { Int32(clamping: $0.foldVersion) }),
            .timestamps(snapshots.map { $0.facts.promisedAt?.timestamp }),
            .timestamps(snapshots.map { $0.facts.expectedAt?.timestamp }),
            .timestamps(snapshots.map { $0.facts.actualAt?.timestamp }),
            .timestamps(snapshots.map { $0.facts.startsAt?.timestamp }),
            .texts(snapshots.map(\.facts.competition)),
            .texts(snapshots.map(\.facts.words.stored)), .texts(snapshots.map(\.awaits)),
        ]
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
            SELECT $1, $2, i.* FROM \(Snapshot.unnested(from: 3)) AS i
            \(Snapshot.replaceStored)
            """,
            [.tenant(tenant), .int4(generation)] + Snapshot.columns(of: snapshots))
    }

    /// As many rows as there are in `rows`, of a parameter for each type, from `$first` on.
    static func values(_ types: [String], rows: Int, from first: Int) -> String {
        let texts = (0..<rows).map { row in
            let places = types.enumerated().map { "$\(first + row * types.count + $0)::\($1)" }
            return "(\(places.joined(separator: ", ")))"
        }
        return "(VALUES \(texts.joined(separator: ", ")))"
    }

    /// Rows of as many arrays as there are types, from parameter `$first` on.
    static func unnest(_ types: [String], from first: Int) -> String {
        let arrays = types.enumerated().map { "$\(first + $0)::\($1)[]" }
        return "unnest(\(arrays.joined(separator: ", ")))"
    }
}
