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
        let news = NewsFanOut(pool: pool)
        let wall = TenantWall(pool: pool, visitors: visitors)
        let policies = HotPolicies()
        let fresh = FreshEvents()
        let decisions = FreshDecisions()
        let claims = DeliveryClaims(
            pool: sending, node: node ?? "node-\(UInt32.random(in: .min ... .max))",
            policies: policies, fresh: decisions, news: news)
        let memory = Folding.Memory(policies: policies, events: fresh, decisions: decisions)
        let along = FoldingAlong(memory)
        let appender = Appender(
            pool: pool, news: news, fresh: fresh, along: along, limits: appending)
        var store = EventStore(
            tenants: .postgres(pool),
            log: .postgres(wall, appender: appender, remembering),
            policies: .postgres(wall), projections: .postgres(wall, news, memory, along),
            reads: .postgres(wall),
            rebuilds: .postgres(pool), replays: .postgres(wall),
            upkeep: .postgres(wall), clock: .postgres(pool), registrations: .postgres(wall),
            tickets: .postgres(pool),
            deliveries: .postgres(sending, claims: claims), starts: .postgres(wall),
            starting: .postgres(sending, claims: claims),
            channels: .postgres(wall, claims: claims), apps: .postgres(wall),
            webhooks: .postgres(wall), deadLetters: .postgres(wall),
            board: .postgres(wall),
            sessions: .postgres([pool] + [visitors].compactMap(\.self)),
            identity: .postgres(pool),
            listen: { news.stream($0) }, executor: pool.loop, deliveryExecutor: sending.loop)
        store.probe = .postgres(pool, store.projections)
        return store
    }

    /// Brings a database to the schema that this program needs.
    public static var migrator: Migrator { Migrator(Schema.migrations) }
}
