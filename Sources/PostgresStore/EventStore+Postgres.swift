public import EventStore
public import Postgres

extension EventStore {
    /// The real store. Expects a migrated database; see `migrator`. Closing the pools ends it.
    /// - Parameters:
    ///   - deliveries: for what is sent, so that it does not keep what is recorded waiting. Its
    ///     loop may be another one. By default the same.
    ///   - node: this process's name among those that share the database. By default one that
    ///     nobody else has.
    ///   - visitors: for what tenants ask, logged in as a user who has nothing but the way to the
    ///     role that is walled in. By default the same.
    ///   - remembering: keeps what is acknowledged, to notice a log that was set back.
    public static func postgres(
        pool: Pool, deliveries: Pool? = nil, visitors: Pool? = nil, node: String? = nil,
        appending: AppendLimits = .standard, remembering: LogMemory = LogMemory()
    ) -> EventStore {
        let sending = deliveries ?? pool
        let changes = ChangeBuffer()
        let hub = NotificationHub(pool: pool, changes: changes)
        let tenantPool = TenantScopedPool(pool: pool, visitors: visitors)
        let policies = StoredPolicyCache()
        let eventBuffer = EventBuffer()
        let claimHints = ClaimHints()
        let claims = DeliveryClaims(
            pool: sending, node: node ?? "node-\(UInt32.random(in: .min ... .max))",
            policies: policies, claimHints: claimHints, hub: hub)
        let caches = FoldingCaches(
            changes: changes, policies: policies, events: eventBuffer, claimHints: claimHints)
        let appender = Appender(
            pool: pool, hub: hub, eventBuffer: eventBuffer, memory: remembering, limits: appending)
        var store = EventStore(
            tenants: PostgresTenantStore(pool: pool),
            log: PostgresEventLog(tenantPool: tenantPool, appender: appender),
            policies: PostgresPolicyStore(tenantPool: tenantPool),
            projections: PostgresProjectionStore(tenantPool: tenantPool, hub: hub, caches: caches),
            reads: PostgresReadStore(tenantPool: tenantPool),
            rebuilds: PostgresRebuildStore(pool: pool),
            replays: PostgresReplayStore(tenantPool: tenantPool),
            upkeep: PostgresUpkeepStore(tenantPool: tenantPool),
            clock: PostgresClockStore(pool: pool),
            registrations: PostgresRegistrationStore(tenantPool: tenantPool),
            tickets: PostgresTicketStore(pool: pool),
            deliveries: PostgresDeliveryStore(pool: sending, claims: claims),
            startTokens: PostgresStartTokenStore(tenantPool: tenantPool),
            startDeliveries: PostgresStartDeliveryStore(pool: sending, claims: claims),
            channels: PostgresChannelStore(tenantPool: tenantPool, claims: claims),
            apps: PostgresAppStore(tenantPool: tenantPool),
            webhooks: PostgresWebhookStore(tenantPool: tenantPool),
            deadLetters: PostgresDeadLetterStore(tenantPool: tenantPool),
            board: PostgresBoardStore(tenantPool: tenantPool),
            audit: PostgresAuditStore(tenantPool: tenantPool),
            signIns: PostgresSignInStore(pool: pool),
            series: PostgresSeriesStore(tenantPool: tenantPool),
            operators: PostgresOperatorStore(tenantPool: tenantPool),
            identity: PostgresIdentityStore(pool: pool),
            retention: PostgresRetentionStore(pool: pool),
            erasure: PostgresErasureStore(pool: pool),
            listen: { hub.stream($0) })
        store.endStuckSessions = StuckSession.ending(of: [pool] + [visitors].compactMap(\.self))
        store.executor = pool.loop
        store.deliveryExecutor = sending.loop
        store.probe = .postgres(pool, store.projections)
        store.lookAtFleet = { () async throws(EventStoreError) in
            try await asked(try await FleetFacts.look(pool))
        }
        return store
    }

    /// Brings a database to the schema that this program needs.
    public static var migrator: Migrator { Migrator(Schema.migrations) }
}
