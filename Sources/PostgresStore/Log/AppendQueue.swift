import Domain
import EventStore

/// Requests that wait for a commit, each tenant's in their order.
///
/// Each tenant has a share of the room. Whose turn is next follows from what each was given: who
/// was given least comes first, and a new tenant begins where the others are. So a tenant with
/// little to say waits for the batches that are being committed, and not for one of each tenant
/// with much to say.
struct AppendQueue {
    enum Refusal: Hashable {
        /// The tenant has as many events waiting as it may.
        case share(events: Int)
        /// All tenants together have.
        case full
        /// The tenant's events that wait are as large as they may be.
        case shareOfBytes(Int)
        /// Those of all tenants together are.
        case fullOfBytes
    }

    /// What a batch may hold.
    struct BatchSize {
        var events: Int
        /// Of the events' data.
        var bytes: Int
        /// A request with more is not taken at all; else it is a batch of its own.
        var isStrict = false

        static let standard = BatchSize(
            events: Limits.batchEventsMax, bytes: Limits.batchBytesMax)
        static let small = BatchSize(
            events: Limits.smallBatchEventsMax, bytes: Limits.smallBatchBytesMax, isStrict: true)

        fileprivate func holds(_ request: AppendRequest) -> Bool {
            !isStrict || request.events.count <= events && request.bytes <= bytes
        }
    }

    /// An object, which is added to in place for each request.
    private final class Line {
        var requests: ArraySlice<AppendRequest>
        /// Where the tenant stands: what it was given, and where it came in.
        var turn: Int

        init(_ request: AppendRequest, turn: Int) {
            requests = [request]
            self.turn = turn
        }
    }

    private var waiting: [TenantID: Line] = [:]
    /// Tenants with requests, those who came first in front.
    private var tenants: [TenantID] = []
    private var eventShares: TenantShares
    private var byteShares: TenantShares
    /// Turn of the tenant that was served last.
    private var turn = 0
    /// Where tenants that have nothing waiting would go on, if that is ahead of `turn`.
    private var ahead: [TenantID: Int] = [:]

    init(_ limits: AppendLimits = .standard) {
        eventShares = TenantShares(capacity: limits.queuedEventsMax)
        byteShares = TenantShares(capacity: Limits.queuedBytesMax)
    }

    var isEmpty: Bool { tenants.isEmpty }
    var events: Int { eventShares.total }
    /// Of the events' data.
    var bytes: Int { byteShares.total }

    /// Why there is no room for a request; nil when there is.
    func refusal(of request: AppendRequest) -> Refusal? {
        let tenant = request.tenant
        if !eventShares.admit(request.events.count, of: tenant) {
            return eventShares.hasRoom(for: request.events.count)
                ? .share(events: eventShares.amount(of: tenant)) : .full
        }
        if !byteShares.admit(request.bytes, of: tenant) {
            return byteShares.hasRoom(for: request.bytes)
                ? .shareOfBytes(byteShares.amount(of: tenant)) : .fullOfBytes
        }
        return nil
    }

    mutating func add(_ request: AppendRequest) {
        let tenant = request.tenant
        if let line = waiting[tenant] {
            line.requests.append(request)
        } else {
            let start = max(turn, ahead.removeValue(forKey: tenant) ?? 0)
            waiting[tenant] = Line(request, turn: start)
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
        _ size: BatchSize = .standard, without busy: [TenantID] = []
    ) -> [AppendRequest] {
        guard let index = nextTenant(size, without: busy) else { return [] }
        let tenant = tenants.remove(at: index)
        guard let line = waiting.removeValue(forKey: tenant) else { return [] }
        let parts = tenants.isEmpty || size.isStrict ? 1 : Limits.sharedBatchParts
        let count = Self.count(
            line.requests, max(1, size.events / parts), size.bytes / parts)
        let batch = Array(line.requests.prefix(count))
        line.requests.removeFirst(count)
        turn = max(turn, line.turn)
        for request in batch { line.turn += Self.cost(request) }
        leave(batch, of: tenant)
        if line.requests.isEmpty {
            remember(line.turn, of: tenant)
        } else {
            waiting[tenant] = line
            tenants.append(tenant)
        }
        return batch
    }

    func hasBatch(_ size: BatchSize, without busy: [TenantID]) -> Bool {
        nextTenant(size, without: busy) != nil
    }

    /// Place of the one that was given least. Less than a batch makes no difference: then it is the
    /// one that has least waiting, which keeps the others waiting shortest.
    private func nextTenant(_ size: BatchSize, without busy: [TenantID]) -> Int? {
        var best: (index: Int, rank: (Int, Int))?
        for (index, tenant) in tenants.enumerated() where !busy.contains(tenant) {
            guard let line = waiting[tenant], let first = line.requests.first, size.holds(first)
            else { continue }
            let rank = (line.turn / Limits.batchEventsMax, eventShares.amount(of: tenant))
            if best.map({ rank < $0.rank }) ?? true { best = (index, rank) }
        }
        return best?.index
    }

    private static func count(
        _ requests: ArraySlice<AppendRequest>, _ eventsMax: Int, _ bytesMax: Int
    ) -> Int {
        var (count, events, bytes) = (0, 0, 0)
        for request in requests {
            events += request.events.count
            bytes += request.bytes
            if count > 0, events > eventsMax || bytes > bytesMax { break }
            count += 1
        }
        return count
    }

    /// What a request keeps the others waiting for, in events of the usual size.
    private static func cost(_ request: AppendRequest) -> Int {
        request.events.count + request.bytes / Limits.usualEventBytes
    }

    /// Nobody loses their place by having nothing to say for a moment, and nobody gains one.
    private mutating func remember(_ next: Int, of tenant: TenantID) {
        if tenants.isEmpty {
            (turn, ahead) = (0, [:])
            return
        }
        ahead[tenant] = next
        guard ahead.count > Limits.aheadTenantsMax else { return }
        ahead = ahead.filter { $0.value > turn }
        if ahead.count > Limits.aheadTenantsMax { ahead = [:] }
    }

    /// - Returns: nil when the request is not, or no longer, in the queue.
    mutating func remove(_ id: UInt64, of tenant: TenantID) -> AppendRequest? {
        guard let index = waiting[tenant]?.requests.firstIndex(where: { $0.id == id }) else {
            return nil
        }
        return remove(tenant, at: index)
    }

    /// Takes out one request that was there before `due`; nil when there is none.
    mutating func removeOne(enqueuedBefore due: ContinuousClock.Instant) -> AppendRequest? {
        // The oldest of each tenant stand in front.
        let late = tenants.first {
            waiting[$0]?.requests.first.map { $0.enqueuedAt < due } ?? false
        }
        guard let late, let index = waiting[late]?.requests.startIndex else { return nil }
        return remove(late, at: index)
    }

    private mutating func remove(_ tenant: TenantID, at index: Int) -> AppendRequest? {
        guard let line = waiting[tenant] else { return nil }
        let request = line.requests.remove(at: index)
        leave([request], of: tenant)
        if line.requests.isEmpty {
            waiting[tenant] = nil
            tenants.removeAll { $0 == tenant }
        }
        return request
    }

    private mutating func leave(_ requests: [AppendRequest], of tenant: TenantID) {
        eventShares.giveBack(requests.reduce(0) { $0 + $1.events.count }, of: tenant)
        byteShares.giveBack(requests.reduce(0) { $0 + $1.bytes }, of: tenant)
    }
}
