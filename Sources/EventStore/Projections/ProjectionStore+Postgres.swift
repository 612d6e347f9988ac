import Domain
import Postgres

extension ProjectionStore {
    static func postgres(_ wall: TenantWall, _ news: NewsFanOut) -> ProjectionStore {
        let hot = HotSnapshots()
        let policies = HotPolicies()
        return ProjectionStore(
            foldNext: { (limit, fold) async throws(EventStoreError) in
                // On the loop, where the connection is: each answer would wake a thread otherwise.
                let end = try await withTaskExecutorPreference(wall.pool.loop) {
                    () async throws(EventStoreError) in
                    try await storing { () async throws(PostgresError) in
                        try await Folding.next(wall.pool, hot, policies, limit: limit, fold)
                    }
                }
                switch end {
                case .folded(let count, let tenant):
                    await news.announce(.folded(tenant))
                    return count
                case .nothing: return 0
                case .overtaken:
                    throw .schema(
                        detail: "a newer version of Islet folds this database: bring this node up "
                            + "to date")
                }
            },
            snapshot: { (tenant, activity) async throws(EventStoreError) in
                try await snapshots(wall, tenant, one, [.tenant(tenant), .activity(activity)]).first
            },
            snapshots: { (tenant, after, limit) async throws(EventStoreError) in
                try await snapshots(
                    wall, tenant, byName,
                    [.tenant(tenant), .text(after?.rawValue ?? ""), .count(limit)])
            },
            changed: { (tenant, after, limit) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await wall.query(
                        as: tenant, ActivityChange.query,
                        [
                            .tenant(tenant), .int8(after.position), .int8(after.notice),
                            .count(limit),
                        ]
                    ).decoded(ActivityChange.init)
                }
            },
            decisions: { (tenant, activity, after, limit) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await wall.query(
                        as: tenant, ledger,
                        [.tenant(tenant), .activity(activity), .int8(after), .count(limit)]
                    ).decoded(LedgerRow.init)
                }
            },
            checkpoint: { (tenant) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await wall.query(
                        as: tenant,
                        "SELECT position FROM projection_checkpoint WHERE tenant = $1",
                        [.tenant(tenant)]
                    ).first?.get(0) ?? 0
                }
            })
    }

    private static func snapshots(
        _ wall: TenantWall, _ tenant: TenantID, _ sql: String, _ parameters: [Parameter]
    ) async throws(EventStoreError) -> [Snapshot] {
        try await storing { () async throws(PostgresError) in
            try await wall.query(as: tenant, sql, parameters)
                .decoded { (row) throws(PostgresError) in try Snapshot(row) }
        }
    }

    private static let one = """
        SELECT \(Snapshot.columns) FROM snapshot
        WHERE tenant = $1 AND generation = live_generation($1) AND activity_id = $2
        """

    private static let byName = """
        SELECT \(Snapshot.columns) FROM snapshot
        WHERE tenant = $1 AND generation = live_generation($1) AND activity_id > $2
        ORDER BY activity_id LIMIT $3
        """

    private static let ledger = """
        SELECT \(LedgerRow.columns) FROM decision
        WHERE tenant = $1 AND activity_id = $2 AND version > $3 ORDER BY version LIMIT $4
        """
}
