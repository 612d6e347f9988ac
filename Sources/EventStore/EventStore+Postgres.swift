public import Postgres

extension EventStore {
    /// The real store. Expects a migrated database; see `migrator`. Closing the pool ends it.
    public static func postgres(
        pool: Pool, appending: AppendLimits = .standard
    ) -> EventStore {
        let news = NewsFanOut(pool: pool)
        let wall = TenantWall(pool: pool)
        let policies = HotPolicies()
        let fresh = FreshEvents()
        let decisions = FreshDecisions()
        let claims = DeliveryClaims(pool: pool, policies: policies, fresh: decisions)
        let memory = Folding.Memory(policies: policies, events: fresh, decisions: decisions)
        return EventStore(
            tenants: .postgres(pool),
            log: .postgres(
                wall, appender: Appender(pool: pool, news: news, fresh: fresh, limits: appending)),
            policies: .postgres(wall), projections: .postgres(wall, news, memory),
            reads: .postgres(wall),
            rebuilds: .postgres(pool), replays: .postgres(wall),
            upkeep: .postgres(pool), clock: .postgres(pool), registrations: .postgres(wall),
            tickets: .postgres(pool),
            deliveries: .postgres(pool, news, claims: claims), starts: .postgres(wall),
            starting: .postgres(pool, claims: claims),
            channels: .postgres(wall, claims: claims), apps: .postgres(wall),
            webhooks: .postgres(wall), deadLetters: .postgres(wall),
            listen: { news.stream($0) }, executor: pool.loop)
    }

    /// Brings a database to the schema that this program needs.
    public static var migrator: Migrator { Migrator(Schema.migrations) }
}
