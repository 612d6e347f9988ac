import Domain
import EventStore
import Foundation
import Postgres

struct PostgresRebuildStore: RebuildStore {
    let pool: Pool

    func begin(_ tenant: TenantID, _ reason: String, _ versions: [String: Int])
        async throws(EventStoreError) -> RebuildProgress
    {
        try await withStoreErrors { () async throws(PostgresError) in
            let parameters = [.tenant(tenant)] + Parameter.columns(of: versions)
            let rows = try await pool.batch(
                [
                    // Who erases or drops something looks for a rebuild under this lock. One that
                    // began meanwhile would bring back what it read before.
                    Statement(RebuildQueries.lockLive, [.tenant(tenant)]),
                    Statement(RebuildQueries.begin, parameters + [.text(reason)]),
                    Statement(RebuildQueries.one, [.tenant(tenant)]),
                ], timeout: .seconds(Limits.longCallSecondsMax))
            guard let row = rows[2].first else {
                throw .decoding(column: "tenant", expected: "a tenant that exists")
            }
            return try RebuildProgress(row)
        }
    }

    func list() async throws(EventStoreError) -> [RebuildProgress] {
        try await pool.rows(RebuildQueries.all, [], RebuildProgress.init)
    }

    func setPaused(_ tenant: TenantID, _ isPaused: Bool) async throws(EventStoreError) -> Bool {
        try await pool.run(
            "UPDATE projection_rebuild SET is_paused = $2 WHERE tenant = $1",
            [.tenant(tenant), .bool(isPaused)]) > 0
    }

    func cancel(_ tenant: TenantID) async throws(EventStoreError) -> Bool {
        try await withStoreErrors { () async throws(PostgresError) in
            try await pool.withConnection { (connection) async throws(PostgresError) in
                let dropped = try await connection.query(RebuildQueries.cancel, [.tenant(tenant)])
                try await RebuildQueries.dropDeadGenerations(of: tenant, connection)
                return dropped.affectedCount > 0
            }
        }
    }

    func take(_ tenant: TenantID?, _ versions: [String: Int]) async throws(EventStoreError)
        -> (any RebuildSession)?
    {
        try await asked(try await PostgresRebuildSession.take(tenant, versions, pool))
    }

    func outdated(_ versions: [String: Int]) async throws(EventStoreError) -> [TenantID] {
        try await pool.rows(
            RebuildQueries.outdated, Parameter.columns(of: versions)
        ) { (row) throws(PostgresError) in try row.tenant(0) }
    }
}

extension Parameter {
    /// The kinds of fold versions, and the version of each.
    static func columns(of versions: [String: Int]) -> [Parameter] {
        [
            .texts(versions.map(\.key)), .int4s(versions.map { Int32(clamping: $0.value) }),
        ]
    }
}

extension RowReader {
    mutating func foldVersions() throws(PostgresError) -> [String: Int] {
        let json: Data = try get()
        do { return try JSONDecoder().decode([String: Int].self, from: json) } catch {
            throw .decoding(column: "fold_versions", expected: "a number for each kind")
        }
    }
}

extension RebuildProgress: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            tenant: Tenant(from: &row), generation: row.get(), position: row.get(),
            target: row.get(), isPaused: row.get(), reason: row.get(), startedAt: row.moment(),
            foldVersions: row.foldVersions())
    }
}

extension RebuildProgress {
    /// $1 tenant, $2 generation, $3 start.
    fileprivate var parameters: [Parameter] {
        [.tenant(tenant.id), .int4(generation), .moment(startedAt)]
    }
}

struct PostgresRebuildSession: RebuildSession {
    let progress: RebuildProgress
    let skipped: Set<Int64>
    let connection: Connection
    let pool: Pool

    func read(_ after: Int64, _ limit: Int) async throws(EventStoreError) -> any LogPage {
        // On another connection: the next events come while a part is written.
        try await asked(
            try await PostgresLogPage(
                pool.query(
                    RebuildQueries.read,
                    [.tenant(progress.tenant.id), .int8(after), .count(limit)])))
    }

    func snapshots(_ activities: [ActivityID]) async throws(EventStoreError) -> [Snapshot] {
        try await asked(
            try await connection.query(
                Snapshot.several,
                [
                    .tenant(progress.tenant.id), .int4(progress.generation),
                    .texts(activities.map(\.rawValue)),
                ]
            ).decoded(Snapshot.init))
    }

    func write(_ part: RebuiltPart, _ position: Int64) async throws(EventStoreError) -> Bool {
        try await withStoreErrors { () async throws(PostgresError) in
            if await connection.isInTransaction { return try await writeRows(part, position) }
            return try await connection.transaction { (_) async throws(PostgresError) in
                try await writeRows(part, position)
            }
        }
    }

    func analyze() async throws(EventStoreError) {
        // On another connection, for the same reason.
        try await pool.run(RebuildQueries.analyze, timeout: .seconds(Limits.longCallSecondsMax))
    }

    func lockLive() async throws(EventStoreError) {
        try await withStoreErrors { () async throws(PostgresError) in
            try await connection.script("BEGIN")
            _ = try await connection.query(RebuildQueries.lockLive, [.tenant(progress.tenant.id)])
        }
    }

    func switchOver(_ refold: @Sendable (RefoldInput) -> FoldResult?) async throws(EventStoreError)
        -> Bool
    {
        try await withStoreErrors { () async throws(PostgresError) in
            let tenant = progress.tenant.id
            let skippedSince = try await connection.query(
                RebuildQueries.skippedSince,
                [.tenant(tenant), .int8s(Array(skipped)), .int8(progress.position)]
            ).decoded { (row) throws(PostgresError) in try row.activity(0) }
            let results = try await connection.batch([
                Statement(RebuildQueries.end, progress.parameters),
                Statement(
                    RebuildQueries.switchOver, [.tenant(tenant), .int4(progress.generation)]),
                Statement(RebuildQueries.keepSkipped, [.tenant(tenant)]), .notify(.folded, tenant),
            ])
            guard results[0].affectedCount > 0 else {
                try await connection.script("ROLLBACK")
                return false
            }
            for activity in skippedSince {
                _ = try await Refolding.refold(connection, tenant, activity, skipping: nil, refold)
            }
            try await connection.script("COMMIT")
            try await RebuildQueries.dropDeadGenerations(of: tenant, connection)
            return true
        }
    }

    /// The lock first: another node may take the rebuild before Postgres has ended the session.
    func release() async {
        _ = try? await connection.query(
            RebuildQueries.unlock, [.tenant(progress.tenant.id)],
            timeout: .seconds(Limits.releaseSecondsMax))
        await connection.close()
    }

    /// Goes through the rebuilds until the advisory lock of one is free.
    fileprivate static func take(
        _ tenant: TenantID?, _ versions: [String: Int], _ pool: Pool
    ) async throws(PostgresError) -> (any RebuildSession)? {
        let waiting = try await pool.query(RebuildQueries.byTurn).decoded(RebuildProgress.init)
            .filter { !$0.isPaused && (tenant == nil || $0.tenant.id == tenant) }
        guard !waiting.isEmpty else { return nil }
        return try await pool.openDedicated(
            hasHeartbeat: true, callTimeoutSeconds: Limits.longCallSecondsMax
        ).kept { (connection) async throws(PostgresError) in
            try await take(waiting, versions, connection, pool)
        }
    }

    private static func take(
        _ waiting: [RebuildProgress], _ versions: [String: Int], _ connection: Connection,
        _ pool: Pool
    ) async throws(PostgresError) -> (any RebuildSession)? {
        for candidate in waiting {
            let id = candidate.tenant.id
            let isMine: Bool? = try await connection.query(RebuildQueries.lock, [.tenant(id)])
                .first?.get(0)
            guard isMine == true else { continue }
            // The node that had the lock before may have moved or finished it.
            let parameters = [.tenant(id)] + Parameter.columns(of: versions)
            let found = try await connection.batch([
                Statement(RebuildQueries.renew, parameters),
                Statement(RebuildQueries.mine, parameters),
            ])[1].decoded(RebuildProgress.init).first
            guard let progress = found, !progress.isPaused else {
                _ = try await connection.query(RebuildQueries.unlock, [.tenant(id)])
                continue
            }
            // What a node that died after changing over has left. Looking for it goes through all
            // snapshots, so that it is done once.
            if progress.position == 0 {
                try await RebuildQueries.dropDeadGenerations(of: id, connection)
            }
            let skipped = try await connection.query(RebuildQueries.skipped, [.tenant(id)])
                .decoded { (row) throws(PostgresError) in try row.int8(0) }
            return PostgresRebuildSession(
                progress: progress, skipped: Set(skipped), connection: connection, pool: pool)
        }
        await connection.close()
        return nil
    }

    private func writeRows(
        _ part: RebuiltPart, _ position: Int64
    ) async throws(PostgresError) -> Bool {
        let tenant = progress.tenant.id
        let moved = try await connection.query(
            RebuildQueries.move, progress.parameters + [.int8(position)])
        guard let row = moved.first else { return false }
        var statements = [
            Statement(RebuildQueries.prepareToWrite),
            Statement(
                RebuildQueries.write,
                [.tenant(tenant), .int4(progress.generation)]
                    + Snapshot.list.arrays(part.snapshots)),
        ]
        if !part.parked.isEmpty {
            statements.append(.write(part.parked, tenant, progress.generation))
        }
        _ = try await connection.batch(statements)
        return try !row.get(0, as: Bool.self)
    }
}
