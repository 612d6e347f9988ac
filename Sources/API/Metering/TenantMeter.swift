import Domain
import HTTP
import Locks

/// What each tenant used lately of this node's requests, events and bytes.
final class TenantMeter: Sendable {
    /// An object, so that a request looks its tenant up once for each thing that it takes.
    private final class Entry {
        var requests: RateBucket
        var events: RateBucket
        var bytes: RateBucket
        var allowance: Allowance

        init(full allowance: Allowance, at now: Moment) {
            requests = RateBucket(full: allowance.requests, at: now.microseconds)
            events = RateBucket(full: allowance.events, at: now.microseconds)
            bytes = RateBucket(full: allowance.bytes, at: now.microseconds)
            self.allowance = allowance
        }

        func isUnused(at now: Moment) -> Bool {
            requests.isFull(allowance.requests, at: now.microseconds)
                && events.isFull(allowance.events, at: now.microseconds)
                && bytes.isFull(allowance.bytes, at: now.microseconds)
        }
    }

    /// A tenant that is not here has its whole allowance.
    private let used = Lock([TenantID: Entry]())
    private let tenantsMax: Int

    init(tenantsMax: Int = Limits.meteredTenantsMax) { self.tenantsMax = tenantsMax }

    var count: Int { used.withLock { $0.count } }

    /// - Returns: nil when the request may go on; else microseconds to wait.
    func takeRequest(_ tenant: TenantID, _ allowance: Allowance, at now: Moment) -> Int64? {
        withEntry(tenant, allowance, at: now) {
            $0.requests.take(1, allowance.requests, at: now.microseconds)
        }
    }

    /// - Returns: nil when the events may be recorded; else microseconds to wait.
    func takeEvents(
        _ count: Int, _ tenant: TenantID, _ allowance: Allowance, at now: Moment
    ) -> Int64? {
        withEntry(tenant, allowance, at: now) {
            $0.events.take(count, allowance.events, at: now.microseconds)
        }
    }

    /// Of a body. What cannot be taken is not read.
    /// - Returns: nil when the body may be read; else microseconds to wait.
    func takeBytes(
        _ count: Int, _ tenant: TenantID, _ allowance: Allowance, at now: Moment
    ) -> Int64? {
        withEntry(tenant, allowance, at: now) {
            $0.bytes.take(count, allowance.bytes, at: now.microseconds)
        }
    }

    private func withEntry(
        _ tenant: TenantID, _ allowance: Allowance, at now: Moment,
        _ take: (Entry) -> Int64?
    ) -> Int64? {
        used.withLock { used in
            if let entry = used[tenant] {
                entry.allowance = allowance
                return take(entry)
            }
            if used.count >= tenantsMax { forget(&used, at: now) }
            let entry = Entry(full: allowance, at: now)
            used[tenant] = entry
            return take(entry)
        }
    }

    /// Those with a full allowance need no memory. When all are busy, the half that used least is
    /// forgiven.
    private func forget(_ used: inout [TenantID: Entry], at now: Moment) {
        used = used.filter { !$0.value.isUnused(at: now) }
        guard used.count >= tenantsMax else { return }
        let byLevel = used.sorted {
            $0.value.requests.level($0.value.allowance.requests, at: now.microseconds)
                < $1.value.requests.level($1.value.allowance.requests, at: now.microseconds)
        }
        used = Dictionary(uniqueKeysWithValues: byLevel.prefix(tenantsMax / 2).map { ($0, $1) })
    }
}

/// What each ticket was used for lately: a phone asks now and then, and one that hammers must not
/// use up what its tenant may.
final class TicketMeter: Sendable {
    /// A ticket that is not here has its whole allowance.
    private let used = Lock([Ticket: RateBucket]())
    private let ticketsMax: Int

    init(ticketsMax: Int = Limits.meteredTicketsMax) { self.ticketsMax = ticketsMax }

    var count: Int { used.withLock { $0.count } }

    /// - Returns: nil when the request may go on; else microseconds to wait.
    func take(_ ticket: Ticket, _ rate: RateBucket.Rate, at now: Moment) -> Int64? {
        used.withLock { used in
            if used[ticket] == nil, used.count >= ticketsMax { forget(&used, rate, at: now) }
            return used[ticket, default: RateBucket(full: rate, at: now.microseconds)].take(
                1, rate, at: now.microseconds)
        }
    }

    /// As `TenantMeter` does.
    private func forget(
        _ used: inout [Ticket: RateBucket], _ rate: RateBucket.Rate, at now: Moment
    ) {
        used = used.filter { !$0.value.isFull(rate, at: now.microseconds) }
        guard used.count >= ticketsMax else { return }
        let byLevel = used.sorted {
            $0.value.level(rate, at: now.microseconds) < $1.value.level(rate, at: now.microseconds)
        }
        used = Dictionary(uniqueKeysWithValues: byLevel.prefix(ticketsMax / 2).map { ($0, $1) })
    }
}
