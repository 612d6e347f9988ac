import Domain
import Postgres

/// One page of a filtered list as one statement, whose parts all see the same instant.
///
/// It walks along an index in the order of the list and looks through a bounded number of
/// activities: first the narrow ones that it looks at, then the wide ones that it gives.
struct ActivityListing {
    /// Columns: generation, position, head.
    static let live = """
        SELECT c.generation, c.position, h.position AS head FROM projection_checkpoint c
        JOIN log_head h ON h.tenant = c.tenant WHERE c.tenant = $1
        """

    private let filter: ActivityFilter
    private let after: ActivityPage.Place?
    private let limit: Int
    private let now: Moment

    init(_ filter: ActivityFilter, after: ActivityPage.Place?, limit: Int, now: Moment) {
        self.filter = filter
        self.after = after
        self.limit = limit
        self.now = now
    }

    private var isByPosition: Bool { filter.updatedSince != nil }

    func statement(for tenant: TenantID) -> Statement {
        var parameters: [Parameter] = [
            .tenant(tenant), .count(Limits.listedActivitiesMax), .count(limit + 1), start,
        ]
        func add(_ parameter: Parameter) -> String {
            parameters.append(parameter)
            return "$\(parameters.count)"
        }
        let looked = isByPosition ? byPosition(add) : byID(add)
        return Statement(
            """
            WITH live AS MATERIALIZED (\(Self.live)),
            looked AS MATERIALIZED (\(looked) ORDER BY 1 LIMIT $2),
            page AS MATERIALIZED (SELECT place, activity_id FROM looked WHERE fits LIMIT $3)
            SELECT live.position, live.head,
                CASE WHEN (SELECT count(*) FROM page) < $3
                    THEN (SELECT place FROM looked OFFSET $2 - 1) END AS looked_through,
                s.* FROM live LEFT JOIN (
                    SELECT page.place, \(Snapshot.columns)
                    FROM page JOIN snapshot USING (activity_id)
                    WHERE tenant = $1 AND generation = (SELECT generation FROM live)
                ) s ON true
            ORDER BY s.place
            """, parameters)
    }

    /// - Parameter rows: the statement's.
    func page(_ rows: Rows) throws(PostgresError) -> ActivityPage {
        var snapshots = try rows.snapshots(from: 4)
        var next: ActivityPage.Place?
        if snapshots.count > limit {
            snapshots.removeLast()
            next = snapshots.last.map { isByPosition ? .position($0.position) : .id($0.activityID) }
        } else if let first = rows.first {
            if isByPosition {
                next = try first.optional(2).map { .position($0) }
            } else {
                next = try first.optional(2).map { .id(ActivityID(rawValue: $0)) }
            }
        }
        return ActivityPage(snapshots: snapshots, next: next, progress: try rows.progress())
    }

    /// The parameter $4.
    private var start: Parameter {
        switch after {
        case .id(let id): isByPosition ? .int8(0) : .activity(id)
        case .position(let position): isByPosition ? .int8(position) : .text("")
        case nil: isByPosition ? .int8(0) : .text("")
        }
    }

    private func byPosition(_ add: (Parameter) -> String) -> String {
        let since = add(.moment(filter.updatedSince))
        let conditions = conditions(add)
        return """
            SELECT s.position AS place, s.activity_id, \(conditions) AS fits FROM snapshot s
            WHERE \(Self.here) AND s.position > greatest($4, (SELECT position_before($1, \(since))))
            """
    }

    private func byID(_ add: (Parameter) -> String) -> String {
        let conditions = conditions(add)
        // The rarest word is likely to be the longest.
        if let word = filter.words.words.max(by: { $0.utf8.count < $1.utf8.count }) {
            return """
                SELECT w.activity_id AS place, w.activity_id, \(conditions) AS fits
                FROM activity_word w JOIN snapshot s USING (tenant, activity_id)
                WHERE \(Self.here) AND w.tenant = $1 AND w.word = \(add(.text(word)))
                    AND w.activity_id > $4
                """
        }
        let parts = indexes.map { index in
            """
            SELECT s.activity_id AS place, s.activity_id, \(conditions) AS fits
            FROM snapshot s WHERE \(Self.here) AND s.activity_id > $4\(index)
            """
        }
        guard parts.count > 1 else { return parts[0] }
        let ordered = parts.map { "(\($0) ORDER BY 1 LIMIT $2)" }
        return "SELECT * FROM (\(ordered.joined(separator: " UNION ALL "))) parts"
    }

    private static let here = "s.tenant = $1 AND s.generation = (SELECT generation FROM live)"

    /// Conditions of the indexes that together lead to every activity that may fit.
    private var indexes: [String] {
        let open = " AND s.phase <> 'ended'"
        let doneLate = " AND s.phase = 'ended' AND s.actual_at > s.promised_at"
        if filter.isFaulted == true { return [" AND s.fault IS NOT NULL"] }
        if !filter.phases.isEmpty, !filter.phases.contains(.ended) { return [open] }
        guard filter.isLate == true else { return [""] }
        return filter.phases == [.ended] ? [doneLate] : [open, doneLate]
    }

    private func conditions(_ add: (Parameter) -> String) -> String {
        var all: [String] = []
        if !filter.kinds.isEmpty {
            all.append("s.kind = ANY (\(add(.texts(filter.kinds.sorted())))::text[])")
        }
        if !filter.phases.isEmpty {
            let phases = filter.phases.map(\.rawValue).sorted()
            all.append("s.phase = ANY (\(add(.texts(phases)))::text[])")
        }
        if let isFaulted = filter.isFaulted {
            all.append("(s.fault IS NOT NULL) = \(add(.bool(isFaulted)))")
        }
        if let isLate = filter.isLate {
            all.append(
                """
                is_late(s.phase, s.promised_at, s.expected_at, s.actual_at, \(add(.moment(now))))
                    = \(add(.bool(isLate)))
                """)
        }
        if !filter.words.isEmpty {
            let words = add(.texts(filter.words.words))
            all.append("string_to_array(s.words, ' ') @> \(words)::text[]")
        }
        return all.isEmpty ? "true" : all.joined(separator: " AND ")
    }
}
