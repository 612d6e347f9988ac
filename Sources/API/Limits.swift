import HTTP

/// Bounds of the module, each with its reason.
enum Limits {
    /// Somebody who signs in in the morning is signed in for the day; a forgotten browser is not
    /// the day after.
    static let sessionSeconds: Double = 43_200
    /// The database has the same bound.
    static let keyLabelBytesMax = 200
    static let tenantNameBytesMax = 100
    /// Versions of a policy that are shown: a page of some 100 KB at most people's size. The store
    /// gives fewer where they are large.
    static let policyVersionsMax = 100
    /// What one request may try a policy with: about a second's work.
    static let whatIfActivitiesMax = 100
    static let whatIfEventsMax = 5_000
    /// For one activity: more than one a second for the eight hours that a card lasts.
    static let whatIfActivityEventsMax = 50_000
    /// Read at once: large enough to be fast, small enough to keep memory flat.
    static let whatIfPageEvents = 1_000
    /// For all tenants together: one's share of two is one.
    static let whatIfAtOnceMax = 2
    /// Activities that are shown with their alerts, and alerts of each.
    static let whatIfShownMax = 10
    static let whatIfAlertsMax = 50
    /// Seconds for which a webhook's old secret signs beside the new one.
    static let secretOverlapSecondsDefault: Double = 86_400
    static let secretOverlapSecondsMax = 30 * 86_400
    /// Extension attributes of an event, compared one by one: tracing takes two, and whole families
    /// of brokers' own five.
    static let extensionsMax = 16
    /// All of them as JSON: `tracestate` alone may have 512 characters, and a reader of the log
    /// gets them with each event.
    static let extensionBytesMax = 4_096
    /// What a client may call its request: a UUID has 36, a broker's own names are longer.
    static let requestIDBytesMax = 128
    /// Below it what packing saves is less than a packet has room for.
    static let packedBytesMin = 1_024
    /// An answer of so many bytes is packed on the loop: a millisecond. A longer one on another
    /// thread.
    static let packedOnLoopBytesMax = 64 << 10
    /// A packed body of up to so many bytes is unpacked on the loop: less than a tenth of a
    /// millisecond.
    static let unpackedOnLoopBytesMax = 32 << 10
    /// How many times as long as packed JSON is: a body that is probably longer is not tried there.
    static let usualPackingRatio = 16
    /// What packed bodies unpack to that are not answered yet, of all tenants. One alone gets half.
    static let unpackedBytesMax = 128 << 20
    /// For so long a browser need not ask again whether a page of another host may call.
    static let preflightSeconds = 600
    /// The bound of DNS.
    static let hostNameBytesMax = 253
    /// CloudEvents advises 20.
    static let attributeNameBytesMax = 64
    /// By how many letters a name may differ from one that is taken for it: more is another word.
    static let slipEditsMax = 2
    /// Apple's own bound of a bundle identifier.
    static let bundleIDBytesMax = 155
    /// An API key is about 50 characters; hashing a megabyte for a stranger is not on offer.
    static let keyBytesMax = 200
    /// A body on a path that takes none: some clients send a few bytes with everything.
    static let openBodyBytesMax = 16 << 10
    /// What one key, and all keys and tickets of a tenant, may reserve for bodies that are not
    /// answered yet: an eighth and a quarter of what the server has, so that there is room
    /// for others whatever one does. The largest body is always let in.
    static let reservedBytesPerKeyMax = 64 << 20
    static let reservedBytesPerTenantMax = 128 << 20
    /// The same for one ticket: some of the largest; and for all of a tenant's, whose backend finds
    /// room whatever its phones do.
    static let reservedBytesPerTicketMax = 1 << 20
    static let reservedBytesOfTicketsMax = 32 << 20
    /// A ticket with the longest activity id has some 900 characters.
    static let ticketBytesMax = 1_024
    /// What a ticket may be good for: a minute to half a day, which is as long as a card can stay.
    static let ticketSeconds = 60...43_200
    static let ticketSecondsDefault = 3_600
    /// Tickets, and activities, of which is remembered what was registered with them: some 20 MB.
    /// Beyond that the half that was used least lately starts over.
    static let registeringTicketsMax = 100_000
    /// In so long a ticket may be used as often as it may register push tokens: a phone that tries
    /// again after an error does so a few times, and each registration is answered with a push.
    static let ticketRestSeconds = 1_200
    /// An app's name for its copy on one phone: a UUID has 36.
    static let installationBytesMax = 100
    /// Apple's `CFBundleVersion` has 18 at most; other schemes are longer.
    static let appBuildBytesMax = 50
    /// Problems listed in one document; the first hundred are enough to see the pattern.
    static let errorsListedMax = 100
    /// What a position or version may be when somebody names one: all whole numbers that JSON has
    /// everywhere. A log that grows by a million events a second gets there in 285 years.
    static let positions: ClosedRange<Int64> = 0...9_007_199_254_740_991
    /// A policy's and a schema's versions are 32-bit numbers in the database.
    static let versionMax = Int64(Int32.max)
    /// Rows of a page when the caller names no `limit`.
    static let pageRowsDefault = 50
    /// Rows of a page at most: about 1 MB of snapshots.
    static let pageRowsMax = 500
    /// Words of a search that are looked for.
    static let searchedWordsMax = 5
    /// Searches of a tenant that wait, of which one is done at a time: a second's at the worst.
    static let searchesWaitingMax = 20
    /// Longest wait of a reader of the log for what is not there yet: proxies cut silent requests
    /// after 30 to 60 seconds.
    static let waitSecondsMax = 25
    /// Positions looked through for one page that is filtered by type, for which there is no index:
    /// some 10 ms.
    static let filteredPositionsMax: Int64 = 10_000
    /// Events of an activity looked through for those of the types that are asked for.
    static let lookedThroughRows = 1_000
    /// Types that a reader of the log may name.
    static let typesMax = 50
    /// Lines of a body in one transaction: more gain no speed.
    static let chunkLinesMax = 500
    /// Events read from the store for one write to a stream: some 50 KB.
    static let eventPageRows = 100
    /// Changed activities read from the store for one write to a stream.
    static let streamPageRows = 50
    /// Room for a message of a stream, so that it is not moved while it is written: most have half.
    static let streamMessageBytes = 4_096
    /// Documents of activities kept ready, in all: some 20,000 of them.
    static let cachedDocumentBytesMax = 50 << 20
    /// Versions of an activity that one request may have folded again: half a second of work.
    static let foldedAgainMax: Int64 = 10_000
    /// Requests of a tenant that wait for that, of which one is at work: four seconds at the worst.
    static let foldsWaitingMax = 8
    /// What the overview looks back on when nobody says otherwise: a day.
    static let overviewSecondsDefault = 86_400.0
    /// Keys remembered: about 2 MB. Beyond that the cache starts over.
    static let cachedKeysMax = 10_000
    /// Tenants with less than their full allowance left, at one time: about 2 MB. Beyond that those
    /// who used least of it are forgiven.
    static let meteredTenantsMax = 10_000
    /// Tickets that were used lately: about 3 MB, forgiven in the same way.
    static let meteredTicketsMax = 10_000
    /// Streams and reads that wait, of all tenants: half of the connections that a server accepts.
    static let openCallsMax = 4_096
    /// JSON of so many bytes is read into a tree on the loop: 0.7 ms at the worst, of numbers and
    /// nothing else. More is read on another thread, which takes longer by being handed over.
    static let readOnLoopBytesMax = 8 << 10
    /// Of so many bytes it is tried on the loop whether they are events that are plainly written,
    /// which are read several times as fast; what is not goes by the bound for trees.
    static let plainOnLoopBytesMax = 64 << 10
    /// An answer of so many rows is made on the loop: some 3 ms, of activities with what a person
    /// sees of each. A longer one on another thread.
    static let answeredOnLoopRowsMax = 50
    /// Bytes of states and texts in a page of the ledger, beyond which no more is read for it: some
    /// 100 ms of work.
    static let ledgerPageBytesMax = 1 << 20
    /// Rows of the ledger read at once: a usual page, the row before it and the one after it.
    static let ledgerStepRows = pageRowsDefault + 2
    /// What most rows of a ledger have in states and texts, with some ten languages. Of a tenant
    /// with a larger one other threads read and answer, a request at a time.
    static let usualLedgerRowBytesMax = 16 << 10
    /// Tenants of which it is remembered that they have such rows. Beyond that it starts over.
    static let largeLedgersMax = 10_000
    /// Changed activities of such a tenant read for one write to a stream.
    static let largeStreamPageRows = 5
    /// Bytes of policies or of what acts have changed from which on another thread writes them.
    static let answeredOnLoopBytesMax = 64 << 10
    /// Bytes of what acts have changed in a page of them: a policy has half as many at most.
    static let auditPageBytesMax = 1 << 20
    /// Such answers of one tenant that wait to be made, each with its rows in memory: half a
    /// second's.
    static let largeAnswersWaitingMax = 20
    /// What is neither an event nor a policy: some hundred members at most.
    static let objectBytesMax = 64 << 10
    /// How long a client that sends lines is throttled before it gets the answer to come back
    /// later: less than what proxies wait.
    static let throttleSecondsMax = 30
    /// An allowance can be saved up for this long: enough for a backend that reports in bursts.
    static let rateBurstSeconds = 2
    /// The first major version of iOS whose cards can listen to a channel.
    /// Source: Setting up broadcast push notifications.
    static let channelSystemMajorMin = 18
    /// How long `/readyz` waits for the store. Load balancers give up after some seconds, and
    /// should get the reason before that.
    static let healthAnswerSecondsMax: Double = 2

    /// After how long the readers of a node that stops come back, each at a time of its own.
    static let streamRetryMillis = 200...3_000
}

/// Bounds that an operator of Islet may choose.
public struct APILimits: Sendable {
    /// A request body. The server reads no more of one.
    public var bodyBytesMax = ServerLimits.standard.bodyBytesMax
    public var eventsPerBatchMax = 1000
    /// One event's `data` in its compact form.
    public var eventDataBytesMax = 64 << 10
    /// One line of a body: more than any event that passes, however it is escaped.
    public var lineBytesMax = 512 << 10
    /// How long a key's grant is trusted without asking the store. The store tells of changes at
    /// once; this bounds the harm when its word is lost on the way without anybody noticing.
    public var keyCacheSeconds = 5.0
    /// How long a reader who names a position waits for it to be folded: some thousand times what
    /// folding takes, and less than proxies wait.
    public var readWaitSeconds = 10.0
    /// Silence on a stream after which a comment shows that the connection is alive.
    public var streamHeartbeatSeconds = 15.0
    /// How often a stream looks for changes without a notification: one can be lost.
    public var streamPollSeconds = 2.0
    /// `Retry-After` when the store cannot be reached.
    public var retryAfterSeconds = 2
    /// For each tenant on this node, unless the tenant has a figure of its own.
    public var requestsPerSecond = 15_000
    /// For each tenant on this node, unless the tenant has a figure of its own.
    public var eventsPerSecond = 10_000
    /// For the bodies of each tenant on this node, unless it has a figure of its own.
    public var bytesPerSecond = 10_240_000
    /// For each ticket, with bursts of twice that.
    public var ticketRequestsPerSecond = 20
    /// A body that comes with a ticket: a registration has some 500 bytes.
    public var ticketBodyBytesMax = 16 << 10
    /// Events that each tenant may keep, unless the tenant has a figure of its own; nil for any
    /// number.
    public var storedEventsMax: Int?
    /// The bytes that these events may take up; nil for any number.
    public var storedBytesMax: Int?
    /// Bytes of policies that each tenant may keep, of all versions, since none is ever removed: a
    /// policy of 4 KB put each day for twenty years. A smaller one counts as 4 KB.
    public var storedPolicyBytesMax = 32 << 20
    /// What each tenant may keep of phones and for them, with keys and with tickets: as many as a
    /// million phones register for twenty matches in the month for which closed ones stay. Some
    /// 20 GB.
    public var storedRegistrationsMax = 20_000_000
    /// Push tokens and installations that one ticket may register with this node: a ticket is for
    /// one phone, which has a handful of tokens while its card lives. More where a backend gives
    /// everybody the same ticket.
    public var registrationsPerTicketMax = 20
    /// The same for all tickets of one activity, each time that a ticket names one: more than the
    /// phones that follow a match need, and less than would fill a disk.
    public var registrationsPerActivityMax = 10_000_000

    public init() {}

    /// A tenant may use half of what the node can do with its cores, so that there is as much for
    /// the others. Measured on two cores were 30,000 requests a second, and 22,000 events a second
    /// that were folded and decided on as well. Beyond three cores the thread that reads requests
    /// is full, at 23 µs for each.
    public static func fitting(cores: Int) -> APILimits {
        let cores = min(max(cores, 1), coresUsedMax)
        var limits = standard
        limits.requestsPerSecond = requestsPerSecondAndCore * cores
        limits.eventsPerSecond = eventsPerSecondAndCore * cores
        limits.bytesPerSecond = limits.eventsPerSecond * usualEventBytes
        return limits
    }

    public static let requestsPerSecondAndCore = 7_500
    public static let eventsPerSecondAndCore = 5_000
    public static let coresUsedMax = 3
    /// Of an event in a body: data and envelope.
    public static let usualEventBytes = 1_024

    /// Proxies cut silent connections after 30 to 60 seconds; 15 is safely below. The rates are
    /// those of two cores; see `fitting`.
    public static let standard = APILimits()
}

extension APILimits {
    /// The header field of an answer after which the same may be asked again.
    var retryAfter: Headers { ["retry-after": String(retryAfterSeconds)] }
}
