import Domain
import EventStore
import Foundation
import Postgres

struct PostgresErasureStore: ErasureStore {
    let pool: Pool

    func content(_ tenant: TenantID, _ activity: ActivityID)
        async throws(EventStoreError) -> ErasureContent
    {
        try await withStoreErrors { () async throws(PostgresError) in
            try await pool.withTransaction { (connection) async throws(PostgresError) in
                try await connection.script("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                return try await Self.content(connection, tenant, activity)
            }
        }
    }

    func erase(
        _ tenant: TenantID, _ activity: ActivityID,
        _ rewrite: @Sendable (ErasureContent) -> Result<ErasureChanges, ErasureRefusal>
    ) async throws(EventStoreError) -> Result<ErasureChanges, ErasureRefusal> {
        try await withStoreErrors { () async throws(PostgresError) in
            try await pool.withTransaction { (connection) async throws(PostgresError) in
                try await connection.script(ErasureQueries.begin)
                _ = try await connection.batch([.acting])
                let timeout = Duration.seconds(Limits.refoldLockSecondsMax + 1)
                // In the order of those who drop what is archived. Nothing is recorded meanwhile,
                // so no event is missed.
                for lock in [OptimisticAppend.lockHead, RebuildQueries.lockLive] {
                    _ = try await connection.query(lock, [.tenant(tenant)], timeout: timeout)
                }
                let content = try await Self.content(connection, tenant, activity)
                let result = rewrite(content)
                guard case .success(let changes) = result, !changes.isEmpty else { return result }
                for statement in ErasureQueries.write(
                    changes, tenant, activity, checkpoint: content.checkpoint)
                {
                    _ = try await connection.batch(
                        [statement], timeout: .seconds(Limits.longCallSecondsMax))
                }
                return result
            }
        }
    }

    func keys(_ tenant: TenantID, _ activities: [ActivityID], isMaking: Bool)
        async throws(EventStoreError) -> [ActivityID: [UInt8]]
    {
        guard !activities.isEmpty else { return [:] }
        return try await withStoreErrors { () async throws(PostgresError) in
            let one: [Parameter] = [
                .tenant(tenant), .texts(Set(activities).sorted().map(\.rawValue)),
            ]
            let making =
                isMaking
                ? [
                    Statement(ErasureQueries.makeKeys, one),
                    Statement(ErasureQueries.renewKeys, one),
                ] : []
            let results = try await pool.batch(making + [Statement(ErasureQueries.keys, one)])
            guard let rows = results.last else { return [:] }
            let keys = try rows.decoded { (row) throws(PostgresError) in
                (try row.activity(0), try row.get(1, as: [UInt8].self))
            }
            return Dictionary(keys, uniquingKeysWith: { $1 })
        }
    }

    func erasedCount(_ tenant: TenantID) async throws(EventStoreError) -> Int64 {
        try await pool.value(ErasureQueries.erasedCount, [.tenant(tenant)]) ?? 0
    }

    private static func content(
        _ connection: Connection, _ tenant: TenantID, _ activity: ActivityID
    ) async throws(PostgresError) -> ErasureContent {
        let one: [Parameter] = [.tenant(tenant), .activity(activity)]
        let results = try await connection.batch([
            Statement(ErasureQueries.state, one), Statement(ErasureQueries.events, one),
            Statement(ErasureQueries.unfolded, one), Statement(Snapshot.live, one),
            Statement(ErasureQueries.decisions, one),
        ])
        guard let state = results[0].first else {
            throw .decoding(column: "position", expected: "a row of the tenant")
        }
        let events = try results[1].decoded(RecordedEvent.init)
        return ErasureContent(
            events: events,
            unfolded: Set(
                try results[2].decoded { (row) throws(PostgresError) in try row.int8(0) }),
            checkpoint: try state.get(0),
            snapshot: try results[3].decoded(Snapshot.init).first,
            decisions: try results[4].decoded(Decision.init),
            policies: try await StoredPolicy.inForce(connection, tenant, for: events),
            hasKey: try state.get(1), erasedAt: try state.optionalMoment(2),
            isRebuilding: try state.get(3))
    }
}
