import Domain
import EventStore
import Postgres

/// - Parameter caches: of what this node records and decides.
struct PostgresProjectionStore: ProjectionStore {
    let tenantPool: TenantScopedPool
    let hub: NotificationHub
    let caches: FoldingCaches
    private let dedicated: DedicatedConnection

    init(tenantPool: TenantScopedPool, hub: NotificationHub, caches: FoldingCaches) {
        self.tenantPool = tenantPool
        self.hub = hub
        self.caches = caches
        dedicated = DedicatedConnection(pool: tenantPool.pool, settings: Statement.foldSession)
    }

    func foldNext(_ tenant: TenantID?, _ limit: Int, _ fold: @Sendable (FoldBatch) -> FoldResult)
        async throws(EventStoreError) -> FoldedBatch?
    {
        if let tenant, let folded = await foldRecorded(tenant, limit, fold) { return folded }
        return try await foldLogged(tenant, limit, fold)
    }

    func snapshot(_ tenant: TenantID, _ activity: ActivityID) async throws(EventStoreError)
        -> Snapshot?
    {
        try await tenantPool.rows(
            as: tenant, Snapshot.live, [.tenant(tenant), .activity(activity)], Snapshot.init
        ).first
    }

    func changes(
        _ tenant: TenantID, after place: ActivityChange.Place, _ limit: Int, isFollowing: Bool
    ) async throws(EventStoreError) -> ActivityChanges {
        if isFollowing, let buffered = caches.changes.after(place, of: tenant, limit: limit) {
            return buffered
        }
        return try await asked(
            try await ActivityChanges(
                tenantPool.query(
                    as: tenant, ActivityChange.query,
                    [
                        .tenant(tenant), .int8(place.position), .int8(place.noticeNumber),
                        .count(limit),
                    ])))
    }

    func decided(_ tenant: TenantID, _ snapshots: [Snapshot]) async throws(EventStoreError)
        -> [ActivityID: LedgerRow]
    {
        let rows = try await tenantPool.rows(
            as: tenant, Self.decided,
            [
                .tenant(tenant), .texts(snapshots.map(\.activityID.rawValue)),
                .int8s(snapshots.map(\.version)),
            ], LedgerRow.init)
        return Dictionary(rows.map { ($0.decision.activityID, $0) }, uniquingKeysWith: { $1 })
    }

    func decisions(_ tenant: TenantID, _ activity: ActivityID, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [LedgerRow]
    {
        try await tenantPool.rows(
            as: tenant, Self.ledger,
            [.tenant(tenant), .activity(activity), .int8(after), .count(limit)], LedgerRow.init)
    }

    func checkpoint(_ tenant: TenantID) async throws(EventStoreError) -> Int64 {
        try await tenantPool.value(
            as: tenant, "SELECT position FROM projection_checkpoint WHERE tenant = $1",
            [.tenant(tenant)]) ?? 0
    }

    // On the loop, where the connection is: each answer would wake a thread otherwise.

    private func foldLogged(
        _ tenant: TenantID?, _ limit: Int, _ fold: @Sendable (FoldBatch) -> FoldResult
    ) async throws(EventStoreError) -> FoldedBatch? {
        let end = try await withTaskExecutorPreference(tenantPool.pool.loop) {
            () async throws(EventStoreError) in
            try await asked(
                try await Folding.next(tenantPool.pool, caches, of: tenant, limit: limit, fold))
        }
        switch end {
        case .folded(let folded):
            await hub.announceFolded(folded.batch.tenant, caches)
            return folded
        case .nothing: return nil
        case .needsNewerProgram: throw .oldProgram
        }
    }

    /// - Returns: nil when that takes a look at the log, which says what went wrong, if anything.
    private func foldRecorded(
        _ tenant: TenantID, _ limit: Int, _ fold: @Sendable (FoldBatch) -> FoldResult
    ) async -> FoldedBatch? {
        await withTaskExecutorPreference(dedicated.pool.loop) {
            guard
                let folded = try? await Folding.foldBuffered(
                    dedicated, caches, tenant, limit: limit, fold)
            else { return nil }
            await hub.announceFolded(tenant, caches)
            return folded
        }
    }

    private static let ledger = """
        SELECT \(LedgerRow.columns) FROM decision
        WHERE tenant = $1 AND activity_id = $2 AND version > $3 ORDER BY version LIMIT $4
        """

    private static let decided = """
        SELECT d.* FROM unnest($2::text[], $3::int8[]) AS i (activity_id, version), LATERAL (
            SELECT \(LedgerRow.columns) FROM decision
            WHERE tenant = $1 AND activity_id = i.activity_id AND version = i.version LIMIT 1
        ) d
        """
}

extension NotificationHub {
    /// Says that events were folded, to the sender first.
    func announceFolded(_ tenant: TenantID, _ caches: FoldingCaches) {
        if caches.claimHints.hasSome(of: tenant) { tell(.happened(.decided, tenant), isOwn: true) }
        announce(.happened(.folded, tenant))
    }
}
