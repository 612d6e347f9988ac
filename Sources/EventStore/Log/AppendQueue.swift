import Domain

/// Requests that wait for a commit, each tenant's in their order; the tenants take turns, so that
/// one with much to say does not keep the others waiting.
struct AppendQueue {
    private var waiting: [TenantID: [AppendRequest]] = [:]
    /// Tenants with requests, the next one first.
    private var turns: [TenantID] = []
    private(set) var events = 0
    /// Of the events' data.
    private(set) var bytes = 0

    var isEmpty: Bool { turns.isEmpty }

    mutating func add(_ request: AppendRequest) {
        if waiting[request.tenant] == nil { turns.append(request.tenant) }
        waiting[request.tenant, default: []].append(request)
        events += request.events.count
        bytes += request.bytes
    }

    /// The requests of the tenant whose turn it is: at least one, then as many as fit.
    /// - Precondition: the queue is not empty.
    mutating func takeBatch(eventsMax: Int) -> [AppendRequest] {
        let tenant = turns.removeFirst()
        var requests = waiting.removeValue(forKey: tenant) ?? []
        var count = 0
        var taken = 0
        for request in requests {
            taken += request.events.count
            if count > 0, taken > eventsMax { break }
            count += 1
        }
        let batch = Array(requests.prefix(count))
        requests.removeFirst(count)
        if !requests.isEmpty {
            waiting[tenant] = requests
            turns.append(tenant)
        }
        for request in batch { leave(request) }
        return batch
    }

    /// - Returns: nil when the request is not, or no longer, in the queue.
    mutating func remove(_ id: UInt64, of tenant: TenantID) -> AppendRequest? {
        guard let index = waiting[tenant]?.firstIndex(where: { $0.id == id }) else { return nil }
        return remove(tenant, at: index)
    }

    /// Takes out one request that was there before `due`; nil when there is none.
    mutating func removeOne(enqueuedBefore due: ContinuousClock.Instant) -> AppendRequest? {
        // The oldest of each tenant stand in front.
        let late = turns.first { waiting[$0]?.first.map { $0.enqueuedAt < due } ?? false }
        return late.flatMap { remove($0, at: 0) }
    }

    private mutating func remove(_ tenant: TenantID, at index: Int) -> AppendRequest? {
        guard let request = waiting[tenant]?.remove(at: index) else { return nil }
        leave(request)
        if waiting[tenant]?.isEmpty ?? true {
            waiting[tenant] = nil
            turns.removeAll { $0 == tenant }
        }
        return request
    }

    private mutating func leave(_ request: AppendRequest) {
        events -= request.events.count
        bytes -= request.bytes
    }
}
