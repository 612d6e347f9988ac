import Domain
import HTTP
import Locks

/// What one tenant may still use of this node's requests, events and bytes.
final class TenantBuckets: Sendable {
    private struct Buckets {
        var requests: RateBucket
        var events: RateBucket
        var bytes: RateBucket
        var allowance: Allowance
    }

    private let buckets: Lock<Buckets>

    fileprivate init(full allowance: Allowance, at now: Moment) {
        let now = now.microseconds
        buckets = Lock(
            Buckets(
                requests: RateBucket(full: allowance.requests, at: now),
                events: RateBucket(full: allowance.events, at: now),
                bytes: RateBucket(full: allowance.bytes, at: now), allowance: allowance))
    }

    /// - Parameter count: more than one for what counts as requests.
    /// - Returns: nil when the request may go on; else microseconds to wait.
    func takeRequest(_ count: Int = 1, at now: Moment) -> Int64? {
        buckets.withLock { $0.requests.take(count, $0.allowance.requests, at: now.microseconds) }
    }

    /// Charges what was done already and counts as requests.
    func chargeRequests(_ count: Int, at now: Moment) {
        buckets.withLock { $0.requests.charge(count, $0.allowance.requests, at: now.microseconds) }
    }

    /// - Parameter count: 0 asks whether there is room for one.
    /// - Returns: nil when the events may be recorded; else microseconds to wait.
    func takeEvents(_ count: Int, at now: Moment) -> Int64? {
        buckets.withLock { $0.events.take(count, $0.allowance.events, at: now.microseconds) }
    }

    /// Takes the bytes of a body. What cannot be taken is not read.
    /// - Parameter count: 0 asks whether there is room for one.
    /// - Returns: nil when the body may be read; else microseconds to wait.
    func takeBytes(_ count: Int, at now: Moment) -> Int64? {
        buckets.withLock { $0.bytes.take(count, $0.allowance.bytes, at: now.microseconds) }
    }

    /// Charges bytes that were unpacked already.
    func chargeBytes(_ count: Int, at now: Moment) {
        buckets.withLock { $0.bytes.chargeInFull(count, $0.allowance.bytes, at: now.microseconds) }
    }

    fileprivate func setAllowance(_ allowance: Allowance) {
        buckets.withLock { $0.allowance = allowance }
    }

    fileprivate func isUnused(at now: Moment) -> Bool {
        buckets.withLock { buckets in
            let (allowance, now) = (buckets.allowance, now.microseconds)
            return buckets.requests.isFull(allowance.requests, at: now)
                && buckets.events.isFull(allowance.events, at: now)
                && buckets.bytes.isFull(allowance.bytes, at: now)
        }
    }

    /// How many requests it may still send, in millionths of one.
    fileprivate func level(at now: Moment) -> Int64 {
        buckets.withLock { $0.requests.level($0.allowance.requests, at: now.microseconds) }
    }
}

/// What each tenant used lately.
final class TenantMeter: Sendable {
    /// A tenant that is not here has its whole allowance.
    private let used = Lock([TenantID: TenantBuckets]())
    private let tenantsMax: Int

    init(tenantsMax: Int = Limits.meteredTenantsMax) { self.tenantsMax = tenantsMax }

    var count: Int { used.withLock { $0.count } }

    /// For the length of a request, which takes several things and looks its tenant up once.
    func buckets(of tenant: TenantID, _ allowance: Allowance, at now: Moment) -> TenantBuckets {
        used.withLock { used in
            if let buckets = used[tenant] {
                buckets.setAllowance(allowance)
                return buckets
            }
            if used.count >= tenantsMax {
                used.forget(beyond: tenantsMax, { $0.isUnused(at: now) }, { $0.level(at: now) })
            }
            let buckets = TenantBuckets(full: allowance, at: now)
            used[tenant] = buckets
            return buckets
        }
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
            let now = now.microseconds
            if used[ticket] == nil, used.count >= ticketsMax {
                used.forget(
                    beyond: ticketsMax, { $0.isFull(rate, at: now) }, { $0.level(rate, at: now) })
            }
            return used[ticket, default: RateBucket(full: rate, at: now)].take(1, rate, at: now)
        }
    }
}

extension Dictionary {
    /// Those with a full allowance need no memory. When all are busy, the half that used least is
    /// forgiven.
    fileprivate mutating func forget(
        beyond most: Int, _ isUnused: (Value) -> Bool, _ level: (Value) -> Int64
    ) {
        self = filter { !isUnused($0.value) }
        guard count >= most else { return }
        let byLevel = map { (level: level($0.value), key: $0.key, value: $0.value) }
            .sorted { $0.level < $1.level }
        self = Dictionary(
            uniqueKeysWithValues: byLevel.prefix(most / 2).map { ($0.key, $0.value) })
    }
}
