public import Domain

/// Everything that Islet keeps. The module `PostgresStore` has the real one.
public struct EventStore: Sendable {
    public var tenants: any TenantStore
    public var log: any EventLog
    public var policies: any PolicyStore
    public var projections: any ProjectionStore
    public var reads: any ReadStore
    public var rebuilds: any RebuildStore
    public var replays: any ReplayStore
    public var upkeep: any UpkeepStore
    public var clock: any ClockStore
    public var registrations: any RegistrationStore
    public var tickets: any TicketStore
    public var deliveries: any DeliveryStore
    public var startTokens: any StartTokenStore
    public var startDeliveries: any StartDeliveryStore
    public var channels: any ChannelStore
    public var apps: any AppStore
    public var webhooks: any WebhookStore
    public var deadLetters: any DeadLetterStore
    public var board: any BoardStore
    public var audit: any AuditStore
    public var signIns: any SignInStore
    public var series: any SeriesStore
    public var operators: any OperatorStore
    public var identity: any IdentityStore
    public var retention: any RetentionStore
    public var erasure: any ErasureStore
    public var probe = StoreProbe()
    /// For metrics. Looks at little, along indexes: it is asked every few seconds.
    public var lookAtFleet: @Sendable () async throws(EventStoreError) -> FleetFacts = {
        () async throws(EventStoreError) -> FleetFacts in
        throw .unavailable(detail: "this store has no fleet")
    }
    /// Ends sessions of Islet's whose process stands still, if the last few looks have found them
    /// in the same place; says how many. Postgres ends by itself what rests between two statements
    /// (see `Connection.beginHeartbeat`), and not what waits for its process in the middle of one:
    /// for the rest of what the process was sending, or for room to answer into. Such a session
    /// keeps its locks for as long as the process stands still, so the other nodes end it.
    public var endStuckSessions: @Sendable () async throws(EventStoreError) -> Int = { 0 }
    /// See `notifications(about:)`.
    public var listen:
        @Sendable (_ subjects: Set<StoreNotification.Subject>) -> AsyncStream<StoreNotification>
    /// Where answers and notifications arrive: a task that does little but wait for them runs there
    /// without waking a thread each time. Nil: anywhere.
    public var executor: (any TaskExecutor)?
    /// The same for deliveries, which may have connections and a thread of their own.
    public var deliveryExecutor: (any TaskExecutor)?

    /// What has a default is set afterwards.
    public init(
        tenants: any TenantStore, log: any EventLog, policies: any PolicyStore,
        projections: any ProjectionStore, reads: any ReadStore, rebuilds: any RebuildStore,
        replays: any ReplayStore, upkeep: any UpkeepStore, clock: any ClockStore,
        registrations: any RegistrationStore, tickets: any TicketStore,
        deliveries: any DeliveryStore, startTokens: any StartTokenStore,
        startDeliveries: any StartDeliveryStore, channels: any ChannelStore, apps: any AppStore,
        webhooks: any WebhookStore, deadLetters: any DeadLetterStore, board: any BoardStore,
        audit: any AuditStore, signIns: any SignInStore, series: any SeriesStore,
        operators: any OperatorStore, identity: any IdentityStore,
        retention: any RetentionStore, erasure: any ErasureStore,
        listen:
            @escaping @Sendable (_ subjects: Set<StoreNotification.Subject>) -> AsyncStream<
                StoreNotification
            >
    ) {
        (self.tenants, self.log, self.policies) = (tenants, log, policies)
        (self.projections, self.reads, self.rebuilds) = (projections, reads, rebuilds)
        (self.replays, self.upkeep, self.clock) = (replays, upkeep, clock)
        (self.registrations, self.tickets, self.channels) = (registrations, tickets, channels)
        (self.deliveries, self.startTokens) = (deliveries, startTokens)
        (self.startDeliveries, self.apps, self.webhooks) = (startDeliveries, apps, webhooks)
        (self.deadLetters, self.board, self.audit) = (deadLetters, board, audit)
        (self.signIns, self.series, self.operators) = (signIns, series, operators)
        (self.identity, self.retention) = (identity, retention)
        (self.erasure, self.listen) = (erasure, listen)
    }

    /// What the database's clock says: the one that every node goes by.
    public func time() async throws(EventStoreError) -> Moment { try await clock.time() }

    /// A new stream of wake-ups for each caller, with `lost` and `resumed` in any case. A wake-up
    /// can be lost: poll slowly as well.
    public func notifications(
        about subjects: Set<StoreNotification.Subject> = Set(StoreNotification.Subject.allCases)
    ) -> AsyncStream<StoreNotification> {
        listen(subjects)
    }
}

/// Why the store could not do it. Carries no parameters, tokens or keys.
public enum EventStoreError: Error, Hashable, Sendable {
    /// The database is unreachable or overloaded; the same call may work later.
    case unavailable(detail: String)
    /// The call may have been carried out or not, or may be less durable than the database's
    /// settings ask for. Repeating it is safe and shows which.
    case outcomeUnknown(detail: String)
    /// This node has as much to do as it takes on; the same call may work in a moment.
    case overloaded(detail: String)
    /// The tenant moves to another cell just now; the same call may work in a moment.
    case moving(detail: String)
    /// The database refused the statement: a bug or a broken database.
    case failed(sqlState: String, detail: String)
    /// The database's schema is not the one this program needs.
    case schema(detail: String)

    public var isTransient: Bool {
        switch self {
        case .unavailable, .outcomeUnknown, .overloaded, .moving: true
        case .failed, .schema: false
        }
    }
}
