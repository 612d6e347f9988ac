import Domain
import HTTP
import Locks

/// What each ticket has had written down on this node, and how much each activity has by tickets.
final class RegistrationMeter: Sendable {
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
        var bucket: RateBucket
        /// Hashes of what it has named, which no one who sends can foretell.
        var names: Set<Int> = []
    }

    private struct State {
        var tickets: Generations<Int, Use>
        var activities: Generations<Activity, Int>
    }

    private let state: Lock<State>

    init(ticketsMax: Int = Limits.registeringTicketsMax) {
        state = Lock(
            State(
                tickets: Generations(halfMax: ticketsMax / 2),
                activities: Generations(halfMax: ticketsMax / 2)))
    }

    /// - Parameters:
    ///   - name: what is to be served from now on; nil when there is none.
    ///   - id: the ticket's.
    func take(
        _ name: String?, _ ticket: Ticket, _ id: Int, _ limits: APILimits, at now: Moment
    ) -> Verdict {
        let seconds = Limits.ticketRestSeconds
        let rate = RateBucket.Rate(
            perSecond: limits.registrationsPerTicketMax,
            burst: limits.registrationsPerTicketMax * seconds)
        let activity = Activity(tenant: ticket.tenant, id: ticket.activity)
        return state.withLock { state in
            var use =
                state.tickets[id] ?? Use(bucket: RateBucket(full: rate, at: now.microseconds))
            defer { state.tickets[id] = use }
            if let wait = use.bucket.take(seconds, rate, at: now.microseconds) {
                return .wait(microseconds: wait)
            }
            guard let name, !use.names.contains(name.hashValue) else { return .admitted }
            guard use.names.count < limits.registrationsPerTicketMax else {
                return .ticketIsFull(max: limits.registrationsPerTicketMax)
            }
            let known = state.activities[activity] ?? 0
            guard known < limits.registrationsPerActivityMax else {
                return .activityIsFull(max: limits.registrationsPerActivityMax)
            }
            use.names.insert(name.hashValue)
            state.activities[activity] = known + 1
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
