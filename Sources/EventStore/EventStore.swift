public import Domain

/// Everything that Islet keeps, as structs of closures: `.postgres(…)` is the real one.
public struct EventStore: Sendable {
    public var tenants: TenantStore
    public var log: EventLog
    public var projections: ProjectionStore
    public var registrations: RegistrationStore
    public var deliveries: DeliveryStore
    /// A new stream of wake-ups for each caller. A wake-up can be lost: poll slowly as well.
    public var news: @Sendable () -> AsyncStream<StoreNews>

    public init(
        tenants: TenantStore, log: EventLog, projections: ProjectionStore,
        registrations: RegistrationStore, deliveries: DeliveryStore,
        news: @escaping @Sendable () -> AsyncStream<StoreNews>
    ) {
        self.tenants = tenants
        self.log = log
        self.projections = projections
        self.registrations = registrations
        self.deliveries = deliveries
        self.news = news
    }
}

/// What happened in the store, on this node or another.
public enum StoreNews: Hashable, Sendable {
    /// Events were appended to the tenant's log.
    case appended(TenantID)
    /// The tenant's snapshots and decisions moved on.
    case folded(TenantID)
    /// A phone registered, or one is owed a push.
    case phonesWaiting(TenantID)
    /// The listening connection was lost and is back: anything may have been missed.
    case resumed
}

/// Why the store could not do it. Carries no parameters, tokens or keys.
public enum EventStoreError: Error, Hashable, Sendable {
    /// The database is unreachable or overloaded; the same call may work later.
    case unavailable(detail: String)
    /// This node has as much to do as it takes on; the same call may work in a moment.
    case overloaded(detail: String)
    /// The database refused the statement: a bug or a broken database.
    case failed(sqlState: String, detail: String)
    /// The database's schema is not the one this program needs.
    case schema(detail: String)

    public var isTransient: Bool {
        switch self {
        case .unavailable, .overloaded: true
        case .failed, .schema: false
        }
    }
}
