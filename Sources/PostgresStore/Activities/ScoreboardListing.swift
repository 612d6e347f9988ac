import Domain
import EventStore
import Postgres

/// One page of a scoreboard as one statement. It walks along an index in the order of the board
/// from where the page begins: those of which nobody knows when they start stand last, in a part
/// of their own, since nothing compares with what is not there.
struct ScoreboardListing {
    let competition: String?
    let after: ScoreboardPage.Place?
    let limit: Int

    func statement(for tenant: TenantID) -> Statement {
        var parameters: [Parameter] = [.tenant(tenant), .count(limit + 1)]
        func add(_ parameter: Parameter) -> String {
            parameters.append(parameter)
            return "$\(parameters.count)"
        }
        let filter = competition.map { "= \(add(.text($0)))" } ?? "IS NOT NULL"
        let parts = starts(add).map { start in
            """
            SELECT \(Snapshot.columns) FROM snapshot
            WHERE tenant = $1 AND generation = (SELECT generation FROM live)
                AND phase = 'live' AND competition \(filter)\(start)
            ORDER BY starts_at, activity_id LIMIT $2
            """
        }
        let page =
            parts.count == 1
            ? parts[0]
            : parts.map { "(\($0))" }.joined(separator: " UNION ALL ")
                + " ORDER BY starts_at, activity_id LIMIT $2"
        return Statement(
            """
            WITH live AS MATERIALIZED (\(ActivityListing.live))
            SELECT live.position, live.head, s.* FROM live LEFT JOIN (
                \(page)
            ) s ON true
            ORDER BY s.starts_at, s.activity_id
            """, parameters)
    }

    /// Conditions of the parts in which the page may be.
    private func starts(_ add: (Parameter) -> String) -> [String] {
        guard let after else { return [""] }
        let id = add(.activity(after.activityID))
        guard let startsAt = after.startsAt else {
            return [" AND starts_at IS NULL AND activity_id > \(id)"]
        }
        return [
            " AND (starts_at, activity_id) > (\(add(.moment(startsAt))), \(id))",
            " AND starts_at IS NULL",
        ]
    }

    /// - Parameter rows: the statement's.
    func page(_ rows: Rows) throws(PostgresError) -> ScoreboardPage {
        var page = ScoreboardPage(
            snapshots: try rows.snapshots(from: 2), next: nil, freshness: try rows.freshness())
        if page.snapshots.count > limit {
            page.snapshots.removeLast()
            page.next = page.snapshots.last.map { ScoreboardPage.Place($0) }
        }
        return page
    }
}
