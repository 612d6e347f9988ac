public import Postgres

extension EventStore {
    /// The real store. Expects a migrated database; see `migrator`. Closing the pool ends it.
    public static func postgres(
        pool: Pool, appending: AppendLimits = .standard
    ) -> EventStore {
        let news = NewsFanOut(pool: pool)
        return EventStore(
            tenants: .postgres(pool),
            log: .postgres(pool, appender: Appender(pool: pool, limits: appending)),
            projections: .postgres(pool), registrations: .postgres(pool),
            deliveries: .postgres(pool, claims: DeliveryClaims(pool: pool)),
            news: { news.stream() })
    }

    /// Brings a database to the schema that this program needs.
    public static var migrator: Migrator { Migrator(Schema.migrations) }
}
