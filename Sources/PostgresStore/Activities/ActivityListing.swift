import Domain
import EventStore
import Postgres

/// One page of a filtered list as one statement, whose parts all see the same instant.
///
/// It walks along an index in the order of the list and looks through a bounded number of
/// activities: first the narrow ones that it looks at, then the wide ones that it gives. An
/// `OFFSET 0` has each looked up by its key: to join them, the planner would read all activities of
/// a tenant that it does not know yet, once for each of them.
struct ActivityListing {
    /// For `Rows.freshness`, and the live generation.
    static let live = """
        SELECT c.position, h.position AS head, c.generation FROM projection_checkpoint c
        JOIN log_head h ON h.tenant = c.tenant WHERE c.tenant = $1
        """

    let filter: ActivityFilter
    let after: ActivityPage.Place?
    let limit: Int
    let now: Moment

    private var isSince: Bool { filter.updatedSince != nil }

    /// Whether places are those of changes.
    private var isByChange: Bool { isSince || filter.order == .newestChange }

    /// What the order of places, the id or position of a row, goes by.
    private var direction: String { isSince || filter.order == .id ? "" : " DESC" }

    func statement(for tenant: TenantID) -> Statement {
        var parameters: [Parameter] = [
            .tenant(tenant), .count(Limits.listedActivitiesMax), .count(limit + 1),
        ]
        func add(_ parameter: Parameter) -> String {
            parameters.append(parameter)
            return "$\(parameters.count)"
        }
        let looked =
            if isSince { byChange(add) } else if isByChange {
                "looked AS MATERIALIZED (\(newestChange(add)))"
            } else { "looked AS MATERIALIZED (\(byID(add)))" }
        return Statement(
            """
            WITH live AS MATERIALIZED (\(Self.live)), \(looked),
            page AS MATERIALIZED (
                SELECT place, notice, activity_id FROM looked WHERE fits LIMIT $3
            ),
            last AS MATERIALIZED (
                SELECT place, notice FROM looked
                WHERE (SELECT count(*) FROM page) < $3 OFFSET $2 - 1
            )
            SELECT live.position, live.head, (SELECT place FROM last) AS looked_through,
                (SELECT notice FROM last), s.* FROM live LEFT JOIN (
                    SELECT page.place, page.notice, s.* FROM page CROSS JOIN LATERAL (
                        SELECT \(Snapshot.columns) FROM snapshot s
                        WHERE \(Self.here) AND s.activity_id = page.activity_id OFFSET 0
                    ) s
                ) s ON true
            ORDER BY s.place\(direction), s.notice
            """, parameters)
    }

    /// - Parameter rows: the statement's.
    func page(_ rows: Rows) throws(PostgresError) -> ActivityPage {
        var page = ActivityPage(
            snapshots: try rows.snapshots(from: 6), next: nil, freshness: try rows.freshness())
        for row in rows {
            if let place = try place(row, 4) { page.places.append(place) }
        }
        if page.snapshots.count > limit {
            page.snapshots.removeLast()
            page.places.removeLast()
            page.next = page.places.last
        } else if let first = rows.first {
            page.next = try place(first, 2)
        }
        return page
    }

    private func place(_ row: Row, _ column: Int) throws(PostgresError) -> ActivityPage.Place? {
        guard isByChange else {
            return try row.optional(column).map { .id(ActivityID(rawValue: $0)) }
        }
        guard let position: Int64 = try row.optional(column) else { return nil }
        return .change(.init(position: position, noticeNumber: try row.get(column + 1)))
    }

    /// An activity stands at its last event, unless it was parked or released after that, or only
    /// that is late enough: then at the notice. So it is in exactly one of the two parts, each of
    /// which walks along an index from where the page begins. Later notices have later places.
    /// Whether there is a notice is looked up last: for the few activities that pass all else.
    private func byChange(_ add: (Parameter) -> String) -> String {
        var after = ActivityChange.Place(position: 0)
        if case .change(let place) = self.after { after = place }
        let since = add(.moment(filter.updatedSince))
        let (position, notice) = (add(.int8(after.position)), add(.int8(after.noticeNumber)))
        let conditions = conditions(add)
        return """
            before AS MATERIALIZED (SELECT position_before($1, \(since)) AS position),
            beginning AS MATERIALIZED (
                SELECT position, serial FROM (
                    SELECT \(position)::int8 AS position, \(notice)::int8 AS serial
                    UNION ALL (
                        SELECT position, serial FROM activity_notice
                        WHERE tenant = $1 AND noticed_at < \(since)
                        ORDER BY noticed_at DESC, position DESC, serial DESC LIMIT 1
                    )
                ) places ORDER BY position DESC, serial DESC LIMIT 1
            ),
            looked AS MATERIALIZED (
                (
                    SELECT s.position AS place, 0::int8 AS notice, s.activity_id,
                        \(conditions) AND s.position > coalesce((
                            SELECT n.position FROM activity_notice n
                            WHERE n.tenant = s.tenant AND n.activity_id = s.activity_id
                                AND n.noticed_at >= \(since)
                        ), 0) AS fits
                    FROM snapshot s
                    WHERE \(Self.here) AND s.position > 0
                        AND s.position > greatest(\(position), (SELECT position FROM before))
                    ORDER BY s.position LIMIT $2
                ) UNION ALL (
                    SELECT n.position, n.serial, s.activity_id, \(conditions)
                    FROM activity_notice n CROSS JOIN LATERAL (
                        SELECT * FROM snapshot s
                        WHERE \(Self.here) AND s.activity_id = n.activity_id LIMIT 1
                    ) s
                    WHERE n.tenant = $1
                        AND (n.position, n.serial) > (SELECT position, serial FROM beginning)
                        AND (
                            n.position >= s.position
                            OR s.position <= (SELECT position FROM before)
                        )
                    ORDER BY n.position, n.serial LIMIT $2
                )
                ORDER BY place, notice LIMIT $2
            )
            """
    }

    private func newestChange(_ add: (Parameter) -> String) -> String {
        var before = Int64.max
        if case .change(let place) = after { before = place.position }
        let start = add(.int8(before))
        return """
            SELECT s.position AS place, 0::int8 AS notice, s.activity_id, \(conditions(add)) AS fits
            FROM snapshot s
            WHERE \(Self.here) AND s.position > 0 AND s.position < \(start)
            ORDER BY s.position DESC LIMIT $2
            """
    }

    /// Of an id or place that nothing precedes, the beginning of the list.
    private func beyond(_ column: String, _ add: (Parameter) -> String) -> String {
        guard case .id(let id) = after else { return direction.isEmpty ? "\(column) > ''" : "true" }
        return "\(column) \(direction.isEmpty ? ">" : "<") \(add(.activity(id)))"
    }

    private func byID(_ add: (Parameter) -> String) -> String {
        let conditions = conditions(add)
        if filter.hasDeferredPhones {
            return """
                SELECT s.activity_id AS place, 0::int8 AS notice, s.activity_id,
                    \(conditions) AS fits
                FROM (
                    SELECT DISTINCT activity_id FROM (
                        SELECT r.activity_id FROM registration r
                        WHERE r.tenant = $1 AND \(AppQueries.isDeferred("r"))
                            AND r.closed_at IS NULL
                            AND \(beyond("r.activity_id", add))
                        ORDER BY r.activity_id\(direction) LIMIT $2
                    ) bounded
                ) waiting CROSS JOIN LATERAL (
                    SELECT * FROM snapshot s
                    WHERE \(Self.here) AND s.activity_id = waiting.activity_id LIMIT 1
                ) s
                ORDER BY 1\(direction) LIMIT $2
                """
        }
        // The rarest word is likely to be the longest.
        if let word = filter.words.words.max(by: { $0.utf8.count < $1.utf8.count }) {
            return """
                SELECT w.activity_id AS place, 0::int8 AS notice, w.activity_id,
                    \(conditions) AS fits
                FROM activity_word w CROSS JOIN LATERAL (
                    SELECT * FROM snapshot s
                    WHERE \(Self.here) AND s.activity_id = w.activity_id OFFSET 0
                ) s
                WHERE w.tenant = $1 AND w.word = \(add(.text(word)))
                    AND \(beyond("w.activity_id", add))
                ORDER BY 1\(direction) LIMIT $2
                """
        }
        let start = beyond("s.activity_id", add)
        let parts = indexes.map { index in
            """
            SELECT s.activity_id AS place, 0::int8 AS notice, s.activity_id, \(conditions) AS fits
            FROM snapshot s WHERE \(Self.here) AND \(start)\(index)
            ORDER BY 1\(direction) LIMIT $2
            """
        }
        guard parts.count > 1 else { return parts[0] }
        let ordered = parts.map { "(\($0))" }.joined(separator: " UNION ALL ")
        return "SELECT * FROM (\(ordered)) parts ORDER BY 1\(direction) LIMIT $2"
    }

    private static let here = "s.tenant = $1 AND s.generation = (SELECT generation FROM live)"

    /// Conditions of the indexes that together lead to every activity that may fit.
    private var indexes: [String] {
        let open = " AND s.phase <> 'ended'"
        let doneLate = " AND s.phase = 'ended' AND s.actual_at > s.promised_at"
        if filter.isBlocked == true { return [" AND s.fault IS NOT NULL"] }
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
        if let isBlocked = filter.isBlocked {
            all.append("(s.fault IS NOT NULL) = \(add(.bool(isBlocked)))")
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
