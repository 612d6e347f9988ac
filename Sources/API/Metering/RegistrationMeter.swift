import Domain
import Foundation

/// What each ticket has had written down on this node, and how much each activity has by tickets.
///
/// `@unchecked Sendable`: `lock` protects every variable.
final class RegistrationMeter: @unchecked Sendable {
    enum Verdict: Hashable {
        case admitted
        case wait(microseconds: Int64)
        case ticketIsFull(max: Int)
        case activityIsFull(max: Int)
    }

    private struct Activity: Hashable {
        var tenant: TenantID
        var id: ActivityID
    }

    private struct Use {
        var bucket: TokenBucket
        /// Hashes of what it has named, which no one who sends can foretell.
        var names: Set<Int> = []
    }

    private let lock = NSLock()
    private var tickets: Generations<Int, Use>
    private var activities: Generations<Activity, Int>

    init(ticketsMax: Int = Limits.registeringTicketsMax) {
        tickets = Generations(halfMax: ticketsMax / 2)
        activities = Generations(halfMax: ticketsMax / 2)
    }

    /// - Parameters:
    ///   - name: what is to be served from now on; nil when there is none.
    ///   - id: the ticket's.
    func take(
        _ name: String?, _ ticket: Ticket, _ id: Int, _ limits: APILimits, at now: Moment
    ) -> Verdict {
        let seconds = Limits.ticketRestSeconds
        let rate = TokenBucket.Rate(
            perSecond: limits.registrationsPerTicketMax,
            burst: limits.registrationsPerTicketMax * seconds)
        let activity = Activity(tenant: ticket.tenant, id: ticket.activity)
        return lock.withLock {
            var use = tickets[id] ?? Use(bucket: TokenBucket(full: rate, at: now))
            defer { tickets[id] = use }
            if let wait = use.bucket.take(seconds, rate, at: now) {
                return .wait(microseconds: wait)
            }
            guard let name, !use.names.contains(name.hashValue) else { return .admitted }
            guard use.names.count < limits.registrationsPerTicketMax else {
                return .ticketIsFull(max: limits.registrationsPerTicketMax)
            }
            let known = activities[activity] ?? 0
            guard known < limits.registrationsPerActivityMax else {
                return .activityIsFull(max: limits.registrationsPerActivityMax)
            }
            use.names.insert(name.hashValue)
            activities[activity] = known + 1
            return .admitted
        }
    }
}

/// What was used lately: when one half is full, it takes the place of the other, which is
/// forgotten.
private struct Generations<Key: Hashable, Value> {
    private let halfMax: Int
    private var newer: [Key: Value] = [:]
    private var older: [Key: Value] = [:]

    init(halfMax: Int) { self.halfMax = halfMax }

    subscript(key: Key) -> Value? {
        get { newer[key] ?? older[key] }
        set {
            if newer[key] == nil, newer.count >= halfMax { (older, newer) = (newer, [:]) }
            newer[key] = newValue
        }
    }
}
