import Domain
import Foundation
import Postgres

extension RebuildStore {
    static func postgres(_ pool: Pool) -> RebuildStore {
        RebuildStore(
            begin: { (tenant, reason, versions) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    let parameters = [.tenant(tenant)] + Parameter.columns(of: versions)
                    let rows = try await pool.batch([
                        Statement(RebuildQueries.begin, parameters + [.text(reason)]),
                        Statement(RebuildQueries.one, [.tenant(tenant)]),
                    ])
                    guard let row = rows[1].first else {
                        throw .decoding(column: "tenant", expected: "a tenant that exists")
                    }
                    return try RebuildProgress(row)
                }
            },
            list: { () async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await pool.query(RebuildQueries.all).decoded(RebuildProgress.init)
                }
            },
            setPaused: { (tenant, isPaused) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await pool.query(
                        "UPDATE projection_rebuild SET is_paused = $2 WHERE tenant = $1",
                        [.tenant(tenant), .bool(isPaused)]
                    ).affectedCount > 0
                }
            },
            cancel: { (tenant) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    let dropped = try await pool.query(
                        "DELETE FROM projection_rebuild WHERE tenant = $1", [.tenant(tenant)])
                    try await RebuildQueries.dropDeadGenerations(of: tenant, pool)
                    return dropped.affectedCount > 0
                }
            },
            take: { (tenant, versions) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await RebuildSession.take(tenant, versions, pool)
                }
            },
            outdated: { (versions) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await pool.query(
                        RebuildQueries.outdated, Parameter.columns(of: versions)
                    ).decoded { (row) throws(PostgresError) in try row.tenant(0) }
                }
            })
    }
}

extension Parameter {
    /// Of fold versions: the kinds, and of each its version.
    fileprivate static func columns(of versions: [String: Int]) -> [Parameter] {
        [
            .texts(versions.map(\.key)), .int4s(versions.map { Int32(clamping: $0.value) }),
        ]
    }
}

extension Row {
    func foldVersions(_ column: Int) throws(PostgresError) -> [String: Int] {
        do { return try JSONDecoder().decode([String: Int].self, from: content(column)) } catch {
            throw .decoding(column: "fold_versions", expected: "a number for each kind")
        }
    }
}

extension RebuildProgress {
    fileprivate init(_ row: Row) throws(PostgresError) {
        self.init(
            tenant: Tenant(id: try row.tenant(0), name: try row.get(1)),
            generation: try row.get(2), position: try row.get(3), target: try row.get(4),
            isPaused: try row.get(5), reason: try row.get(6), startedAt: try row.moment(7),
            foldVersions: try row.foldVersions(8))
    }
}

extension RebuildSession {
    /// Goes through the rebuilds until the advisory lock of one is free.
    fileprivate static func take(
        _ tenant: TenantID?, _ versions: [String: Int], _ pool: Pool
    ) async throws(PostgresError) -> RebuildSession? {
        let waiting = try await pool.query(RebuildQueries.byTurn).decoded(RebuildProgress.init)
            .filter { !$0.isPaused && (tenant == nil || $0.tenant.id == tenant) }
        guard !waiting.isEmpty else { return nil }
        let connection = try await pool.openDedicated(
            isLeased: true, callTimeoutSeconds: Limits.longCallSecondsMax)
        for candidate in waiting {
            let id = candidate.tenant.id
            let isMine: Bool? = try await connection.query(RebuildQueries.lock, [.tenant(id)])
                .first?.get(0)
            guard isMine == true else { continue }
            // Whoever had the lock before may have moved or finished it.
            let parameters = [.tenant(id)] + Parameter.columns(of: versions)
            let found = try await connection.batch([
                Statement(RebuildQueries.renew, parameters),
                Statement(RebuildQueries.mine, parameters),
            ])[1].decoded(RebuildProgress.init).first
            guard let progress = found, !progress.isPaused else {
                _ = try await connection.query(RebuildQueries.unlock, [.tenant(id)])
                continue
            }
            return try await session(progress, connection, pool)
        }
        await connection.close()
        return nil
    }

    private static func session(
        _ progress: RebuildProgress, _ connection: Connection, _ pool: Pool
    ) async throws(PostgresError) -> RebuildSession {
        let tenant = progress.tenant.id
        let generation = progress.generation
        let skipped = try await connection.query(RebuildQueries.skipped, [.tenant(tenant)])
            .decoded { (row) throws(PostgresError) in try row.get(0, as: Int64.self) }
        return RebuildSession(
            progress: progress, skipped: Set(skipped),
            read: { (after, limit) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    // On another connection: the next events come while a part is written.
                    try await LogPage(
                        pool.query(
                            RebuildQueries.read, [.tenant(tenant), .int8(after), .count(limit)]),
                        of: tenant)
                }
            },
            snapshots: { (activities) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await connection.query(
                        RebuildQueries.snapshots,
                        [
                            .tenant(tenant), .int4(generation),
                            .texts(activities.map(\.rawValue)),
                        ]
                    ).decoded { (row) throws(PostgresError) in try Snapshot(row) }
                }
            },
            write: { (part, position) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await write(part, upTo: position, progress, connection)
                }
            },
            analyze: { () async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    // On another connection, for the same reason.
                    _ = try await pool.query(
                        RebuildQueries.analyze, timeout: .seconds(Limits.longCallSecondsMax))
                }
            },
            lockLive: { () async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await connection.script("BEGIN")
                    _ = try await connection.query(RebuildQueries.lockLive, [.tenant(tenant)])
                }
            },
            switchOver: { (refold) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await switchOver(progress, skipped, connection, refold)
                }
            },
            release: { await connection.close() })
    }

    private static func write(
        _ part: RebuiltPart, upTo position: Int64, _ progress: RebuildProgress,
        _ connection: Connection
    ) async throws(PostgresError) -> Bool {
        if await connection.isInTransaction {
            return try await writeRows(part, upTo: position, progress, connection)
        }
        return try await connection.transaction { (connection) async throws(PostgresError) in
            try await writeRows(part, upTo: position, progress, connection)
        }
    }

    private static func writeRows(
        _ part: RebuiltPart, upTo position: Int64, _ progress: RebuildProgress,
        _ connection: Connection
    ) async throws(PostgresError) -> Bool {
        let tenant = progress.tenant.id
        let moved = try await connection.query(
            RebuildQueries.move, [.tenant(tenant), .int4(progress.generation), .int8(position)])
        guard let row = moved.first else { return false }
        var statements: [Statement] = []
        statements.append(Statement(RebuildQueries.prepareToWrite))
        for (sql, snapshots) in [
            (RebuildQueries.writeBegun, part.begun), (RebuildQueries.write, part.snapshots),
        ] where !snapshots.isEmpty {
            statements.append(
                Statement(
                    sql,
                    [.tenant(tenant), .int4(progress.generation)]
                        + Snapshot.columns(of: snapshots)))
        }
        if !part.parked.isEmpty {
            statements.append(.write(part.parked, tenant, progress.generation))
        }
        _ = try await connection.batch(statements)
        return try !row.get(0, as: Bool.self)
    }

    private static func switchOver(
        _ progress: RebuildProgress, _ skipped: [Int64], _ connection: Connection,
        _ refold: (RefoldInput) -> FoldOutcome?
    ) async throws(PostgresError) -> Bool {
        let tenant = progress.tenant.id
        let skippedSince = try await connection.query(
            RebuildQueries.skippedSince,
            [.tenant(tenant), .int8s(skipped), .int8(progress.position)]
        ).decoded { (row) throws(PostgresError) in try row.activity(0) }
        let results = try await connection.batch([
            Statement(RebuildQueries.end, [.tenant(tenant), .int4(progress.generation)]),
            Statement(RebuildQueries.switchOver, [.tenant(tenant), .int4(progress.generation)]),
            Statement(RebuildQueries.keepSkipped, [.tenant(tenant)]), .notify(.folded(tenant)),
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
