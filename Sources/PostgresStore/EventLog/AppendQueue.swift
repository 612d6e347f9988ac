import Domain
import EventLoop
import EventStore

/// Requests that wait for a commit, each tenant's in their order.
///
/// Each tenant has a share of the room. Whose turn is next follows from what each was served: the
/// tenant that was served least comes first, and a new one begins where the others are. So a tenant
/// with little to say waits for the batches that are being committed, and not for one of each
/// tenant with much to say.
struct AppendQueue {
    /// What a batch may have at most.
    struct BatchBounds {
        var events: Int
        /// Bytes of the events' data.
        var bytes: Int
        /// A request with more is not taken at all; else it is a batch of its own.
        var isStrict = false

        static let standard = BatchBounds(
            events: Limits.batchEventsMax, bytes: Limits.batchBytesMax)
        static let small = BatchBounds(
            events: Limits.smallBatchEventsMax, bytes: Limits.smallBatchBytesMax, isStrict: true)

        fileprivate func fits(_ request: AppendRequest) -> Bool {
            !isStrict || request.events.count <= events && request.bytes <= bytes
        }
    }

    /// One tenant's requests. An object, which is added to in place for each request.
    private final class TenantQueue {
        private var requests: [UInt64: AppendRequest] = [:]
        /// The requests' ids in their order. Those of requests that were taken out stay until they
        /// come first, or until they are the most.
        private var ids: ArraySlice<UInt64> = []
        /// Virtual time of a fair queue: starts at `servedOfLast`, grows by the `cost` of what is
        /// taken.
        var served: Int

        init(served: Int) {
            self.served = served
        }

        var isEmpty: Bool { requests.isEmpty }
        var first: AppendRequest? { ids.first.flatMap { requests[$0] } }

        func append(_ request: AppendRequest) {
            requests[request.id] = request
            ids.append(request.id)
        }

        /// Costs the same at each length of the queue: thousands may give up at once.
        @discardableResult
        func remove(_ id: UInt64) -> AppendRequest? {
            guard let request = requests.removeValue(forKey: id) else { return nil }
            if ids.count > 2 * requests.count + 16 { ids.removeAll { requests[$0] == nil } }
            while let first = ids.first, requests[first] == nil { ids.removeFirst() }
            return request
        }

        /// Takes out the requests in front, for as long as each is wanted.
        func take(while isWanted: (AppendRequest) -> Bool) -> [AppendRequest] {
            var taken: [AppendRequest] = []
            while let first, isWanted(first) {
                taken.append(first)
                remove(first.id)
            }
            return taken
        }
    }

    private var waiting: [TenantID: TenantQueue] = [:]
    /// The tenants with requests, in the order in which they came.
    private var tenants: [TenantID] = []
    private var eventShares: FairShares<TenantID>
    private var byteShares: FairShares<TenantID>
    /// The highest `served` with which a tenant had its turn: a new tenant starts with it.
    private var servedOfLast = 0
    /// `served` of tenants that have nothing waiting, if that is more than `servedOfLast`: they go
    /// on with it.
    private var servedOfIdle: [TenantID: Int] = [:]

    init(_ limits: AppendLimits = .standard) {
        eventShares = FairShares<TenantID>(capacity: limits.queuedEventsMax)
        byteShares = FairShares<TenantID>(capacity: Limits.queuedBytesMax)
    }

    var isEmpty: Bool { tenants.isEmpty }
    var events: Int { eventShares.total }
    /// Bytes of the events' data.
    var bytes: Int { byteShares.total }

    /// Why there is no room for a request; nil when there is.
    func refusal(of request: AppendRequest) -> EventStoreError? {
        Self.refusal(
            of: request.events.count, eventShares, request.tenant, own: "events of this tenant",
            all: "events of all tenants")
            ?? Self.refusal(
                of: request.bytes, byteShares, request.tenant, own: "bytes of this tenant's events",
                all: "bytes of all tenants' events")
    }

    /// Either the tenant has as much waiting as it may, or all tenants together have.
    private static func refusal(
        of amount: Int, _ shares: FairShares<TenantID>, _ tenant: TenantID, own: String, all: String
    ) -> EventStoreError? {
        if shares.admit(amount, of: tenant) { return nil }
        guard shares.hasRoom(for: amount) else {
            return .overloaded(detail: "too many \(all) wait to be recorded")
        }
        return .overloaded(
            detail: "\(shares.amount(of: tenant)) \(own) wait to be recorded already, which is its "
                + "own share of the queue")
    }

    mutating func add(_ request: AppendRequest) {
        let tenant = request.tenant
        if let queue = waiting[tenant] {
            queue.append(request)
        } else {
            let queue = TenantQueue(
                served: max(servedOfLast, servedOfIdle.removeValue(forKey: tenant) ?? 0))
            queue.append(request)
            waiting[tenant] = queue
            tenants.append(tenant)
        }
        eventShares.take(request.events.count, of: tenant)
        byteShares.take(request.bytes, of: tenant)
    }

    /// The requests of the tenant whose turn it is: at least one, then as many as fit into a batch,
    /// which is a smaller one while others wait.
    /// - Parameter busy: tenants whose turn it cannot be.
    /// - Returns: nothing when there is no tenant with a batch of that size.
    mutating func takeBatch(
        _ size: BatchBounds = .standard, without busy: [TenantID] = []
    ) -> [AppendRequest] {
        guard let index = nextTenant(size, without: busy) else { return [] }
        let tenant = tenants.remove(at: index)
        guard let queue = waiting.removeValue(forKey: tenant) else { return [] }
        let parts = tenants.isEmpty || size.isStrict ? 1 : Limits.sharedBatchParts
        let batch = Self.take(queue, max(1, size.events / parts), size.bytes / parts)
        servedOfLast = max(servedOfLast, queue.served)
        for request in batch { queue.served += Self.cost(request) }
        leave(batch, of: tenant)
        if queue.isEmpty {
            remember(queue.served, of: tenant)
        } else {
            waiting[tenant] = queue
            tenants.append(tenant)
        }
        return batch
    }

    func hasBatch(_ size: BatchBounds, without busy: [TenantID]) -> Bool {
        nextTenant(size, without: busy) != nil
    }

    /// The index of the tenant that was served least. Less than a batch makes no difference: then
    /// it is the one that has least waiting, which keeps the others waiting shortest.
    private func nextTenant(_ size: BatchBounds, without busy: [TenantID]) -> Int? {
        var best: (index: Int, rank: (Int, Int))?
        for (index, tenant) in tenants.enumerated() where !busy.contains(tenant) {
            guard let queue = waiting[tenant], let first = queue.first, size.fits(first)
            else { continue }
            let rank = (queue.served / Limits.batchEventsMax, eventShares.amount(of: tenant))
            if best.map({ rank < $0.rank }) ?? true { best = (index, rank) }
        }
        return best?.index
    }

    private static func take(
        _ queue: TenantQueue, _ eventsMax: Int, _ bytesMax: Int
    ) -> [AppendRequest] {
        var (isFirst, events, bytes) = (true, 0, 0)
        return queue.take { request in
            defer { isFirst = false }
            events += request.events.count
            bytes += request.bytes
            return isFirst || events <= eventsMax && bytes <= bytesMax
        }
    }

    /// What a request keeps the others waiting for, in events of the usual size.
    private static func cost(_ request: AppendRequest) -> Int {
        request.events.count + request.bytes / Limits.usualEventBytes
    }

    /// Keeps `served` of a tenant: it gains nothing by having nothing to say for a moment.
    private mutating func remember(_ served: Int, of tenant: TenantID) {
        if tenants.isEmpty {
            (servedOfLast, servedOfIdle) = (0, [:])
            return
        }
        servedOfIdle[tenant] = served
        guard servedOfIdle.count > Limits.idleTenantsMax else { return }
        servedOfIdle = servedOfIdle.filter { $0.value > servedOfLast }
        if servedOfIdle.count > Limits.idleTenantsMax { servedOfIdle = [:] }
    }

    /// - Returns: nil when the request is not, or no longer, in the queue.
    mutating func remove(_ id: UInt64, of tenant: TenantID) -> AppendRequest? {
        guard let queue = waiting[tenant], let request = queue.remove(id) else { return nil }
        leave([request], of: tenant)
        if queue.isEmpty {
            waiting[tenant] = nil
            tenants.removeAll { $0 == tenant }
        }
        return request
    }

    /// Takes out the requests that were there before `oldest`.
    mutating func removeAll(enqueuedBefore oldest: ContinuousClock.Instant) -> [AppendRequest] {
        var late: [AppendRequest] = []
        for tenant in tenants {
            // The oldest of each tenant stand in front.
            guard let queue = waiting[tenant], let first = queue.first, first.enqueuedAt < oldest
            else { continue }
            let requests = queue.take { $0.enqueuedAt < oldest }
            leave(requests, of: tenant)
            late += requests
            if queue.isEmpty { waiting[tenant] = nil }
        }
        if !late.isEmpty { tenants.removeAll { waiting[$0] == nil } }
        return late
    }

    private mutating func leave(_ requests: [AppendRequest], of tenant: TenantID) {
        eventShares.giveBack(requests.reduce(0) { $0 + $1.events.count }, of: tenant)
        byteShares.giveBack(requests.reduce(0) { $0 + $1.bytes }, of: tenant)
    }
}
