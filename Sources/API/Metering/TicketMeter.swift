import Domain
import Locks

/// What each ticket was used for lately: a phone asks now and then, and one that hammers must not
/// use up what its tenant may.
final class TicketMeter: Sendable {
    /// A ticket that is not here has its whole allowance.
    private let used = Lock([Ticket: TokenBucket]())
    private let ticketsMax: Int

    init(ticketsMax: Int = Limits.meteredTicketsMax) { self.ticketsMax = ticketsMax }

    /// Tickets remembered.
    var count: Int { used.withLock { $0.count } }

    /// - Returns: nil when the request may go on; else microseconds to wait.
    func take(_ ticket: Ticket, _ rate: TokenBucket.Rate, at now: Moment) -> Int64? {
        used.withLock { used in
            if used[ticket] == nil, used.count >= ticketsMax { forget(&used, rate, at: now) }
            return used[ticket, default: TokenBucket(full: rate, at: now)].take(1, rate, at: now)
        }
    }

    /// As `TenantMeter` does.
    private func forget(
        _ used: inout [Ticket: TokenBucket], _ rate: TokenBucket.Rate, at now: Moment
    ) {
        used = used.filter { !$0.value.isFull(rate, at: now) }
        guard used.count >= ticketsMax else { return }
        let byLevel = used.sorted { $0.value.level(rate, at: now) < $1.value.level(rate, at: now) }
        used = Dictionary(uniqueKeysWithValues: byLevel.prefix(ticketsMax / 2).map { ($0, $1) })
    }
}
