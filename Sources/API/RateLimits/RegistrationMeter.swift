import Domain
import HTTP
import Locks

/// What each ticket has had written down on this node, and how much each activity has by tickets.
final class RegistrationMeter: Sendable {
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
        var tickets: TwoHalves<Int, Use>
        var activities: TwoHalves<Activity, Int>
    }

    private let state: Lock<State>

    init(ticketsMax: Int = Limits.registeringTicketsMax) {
        state = Lock(
            State(
                tickets: TwoHalves(halfMax: ticketsMax / 2),
                activities: TwoHalves(halfMax: ticketsMax / 2)))
    }

    /// - Parameters:
    ///   - name: what is to be served from now on; nil when there is none.
    ///   - id: the ticket's.
    func take(
        _ name: String?, _ ticket: Ticket, _ id: Int, _ limits: APILimits, at now: Moment
    ) throws(ProblemDocument) {
        let seconds = Limits.ticketRestSeconds
        let most = limits.registrationsPerTicketMax
        let rate = RateBucket.Rate(perSecond: most, burst: most * seconds)
        let activity = Activity(tenant: ticket.tenant, id: ticket.activity)
        try state.withLock { (state) throws(ProblemDocument) -> Void in
            var use =
                state.tickets[id] ?? Use(bucket: RateBucket(full: rate, at: now.microseconds))
            defer { state.tickets[id] = use }
            if let wait = use.bucket.take(seconds, rate, at: now.microseconds) {
                throw ProblemDocument.rateLimited(
                    "A ticket is good for \(most.counted("request")) of a phone in "
                        + "\(seconds / 60) minutes to this node.",
                    waitMicroseconds: wait)
            }
            guard let name, !use.names.contains(name.hashValue) else { return }
            guard use.names.count < most else {
                throw ProblemDocument(
                    .tooManyRegistrations,
                    "The ticket has registered \(most) push tokens or installations, as many as "
                        + "one may.")
            }
            let known = state.activities[activity] ?? 0
            guard known < limits.registrationsPerActivityMax else {
                throw ProblemDocument(
                    .tooManyRegistrations,
                    "\(limits.registrationsPerActivityMax) push tokens or installations were "
                        + "registered for this activity with tickets, as many as may be.")
            }
            use.names.insert(name.hashValue)
            state.activities[activity] = known + 1
        }
    }
}

/// What was used lately: when one half is full, it takes the place of the other, which is
/// forgotten.
private struct TwoHalves<Key: Hashable, Value> {
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
