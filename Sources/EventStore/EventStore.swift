/// Everything that Islet keeps, as structs of closures: `.postgres(…)` is the real one.
public struct EventStore: Sendable {
    public var tenants: TenantStore
    public var log: EventLog
    public var policies: PolicyStore
    public var projections: ProjectionStore
    public var reads: ReadStore
    public var rebuilds: RebuildStore
    public var replays: ReplayStore
    public var upkeep: UpkeepStore
    public var clock: ClockStore
    public var registrations: RegistrationStore
    public var tickets: TicketStore
    public var deliveries: DeliveryStore
    public var starts: StartStore
    public var starting: StartingStore
    public var channels: ChannelStore
    public var apps: AppStore
    public var webhooks: WebhookStore
    public var deadLetters: DeadLetterStore
    public var board: BoardStore
    public var sessions: SessionStore
    public var identity: IdentityStore
    public var probe = StoreProbe.none
    /// See `news(about:)`.
    public var listen: @Sendable (_ topics: Set<StoreNews.Topic>) -> AsyncStream<StoreNews>
    /// Where answers and news arrive: a task that does little but wait for them runs there without
    /// waking a thread each time. Nil: anywhere.
    public var executor: (any TaskExecutor)?
    /// The same for deliveries, which may have connections and a thread of their own.
    public var deliveryExecutor: (any TaskExecutor)?

    public init(
        tenants: TenantStore, log: EventLog, policies: PolicyStore,
        projections: ProjectionStore,
        reads: ReadStore, rebuilds: RebuildStore, replays: ReplayStore = .none,
        upkeep: UpkeepStore, clock: ClockStore,
        registrations: RegistrationStore, tickets: TicketStore, deliveries: DeliveryStore,
        starts: StartStore, starting: StartingStore,
        channels: ChannelStore, apps: AppStore, webhooks: WebhookStore = .none,
        deadLetters: DeadLetterStore = .none, board: BoardStore = .none,
        sessions: SessionStore = .none,
        identity: IdentityStore = .none,
        listen: @escaping @Sendable (_ topics: Set<StoreNews.Topic>) -> AsyncStream<StoreNews>,
        executor: (any TaskExecutor)? = nil, deliveryExecutor: (any TaskExecutor)? = nil
    ) {
        self.tenants = tenants
        self.log = log
        self.policies = policies
        self.projections = projections
        self.reads = reads
        self.rebuilds = rebuilds
        self.replays = replays
        self.upkeep = upkeep
        self.clock = clock
        self.registrations = registrations
        self.tickets = tickets
        self.deliveries = deliveries
        self.starts = starts
        self.starting = starting
        self.channels = channels
        self.apps = apps
        self.webhooks = webhooks
        self.deadLetters = deadLetters
        self.board = board
        self.sessions = sessions
        self.identity = identity
        self.listen = listen
        self.executor = executor
        self.deliveryExecutor = deliveryExecutor ?? executor
    }

    /// A new stream of wake-ups for each caller, with `lost` and `resumed` in any case. A wake-up
    /// can be lost: poll slowly as well.
    public func news(
        about topics: Set<StoreNews.Topic> = Set(StoreNews.Topic.allCases)
    ) -> AsyncStream<StoreNews> {
        listen(topics)
    }
}

/// Why the store could not do it. Carries no parameters, tokens or keys.
public enum EventStoreError: Error, Hashable, Sendable {
    /// The database is unreachable or overloaded; the same call may work later.
    case unavailable(detail: String)
    /// It may have been carried out or not, or not be as durable as the database was told to make
    /// it; repeating the call is safe and tells.
    case outcomeUnknown(detail: String)
    /// This node has as much to do as it takes on; the same call may work in a moment.
    case overloaded(detail: String)
    /// The database refused the statement: a bug or a broken database.
    case failed(sqlState: String, detail: String)
    /// The database's schema is not the one this program needs.
    case schema(detail: String)

    public var isTransient: Bool {
        switch self {
        case .unavailable, .outcomeUnknown, .overloaded: true
        case .failed, .schema: false
        }
    }
}
