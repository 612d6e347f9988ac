import Domain
import EventStore
import HTTP

extension Authenticator {
    func caller(
        byTicket text: Substring.UTF8View, of request: Request, scope: Scope, activity: ActivityID?
    ) async throws(ProblemDocument) -> Caller {
        guard let activity else {
            throw ProblemDocument(
                .ticketTooNarrow, "A ticket opens only what a phone does with its own activity.")
        }
        guard let presented = PresentedTicket(text),
            let known = try await tickets.secret(
                presented.ticket.secretID, of: presented.ticket.tenant),
            presented.isSigned(with: known.secret, environment.seal)
        else {
            throw refusal(.invalidTicket, "No server has made this ticket, or it was long ago.")
        }
        let ticket = presented.ticket
        guard environment.now().unixSeconds < ticket.expiresAt else {
            let end = Moment(unixSeconds: ticket.expiresAt).rfc3339
            throw refusal(.expiredTicket, "This ticket expired at \(end).")
        }
        try admit(request, with: ticket)
        let allowance = Allowance(environment.limits, known.limits)
        try admit(request, ticket.tenant, allowance)
        guard ticket.activity == activity else {
            throw ProblemDocument(.ticketTooNarrow, "The ticket is for another activity.")
        }
        guard ticket.scopes.contains(scope) else {
            throw ProblemDocument(
                .ticketTooNarrow, "The ticket was made with a key that may not read activities.")
        }
        return Caller(
            allowance: allowance, credential: .ticket(ticket), scope: scope, authenticator: self)
    }

    /// What is too much for a ticket does not count as its tenant's.
    private func admit(_ request: Request, with ticket: Ticket) throws(ProblemDocument) {
        let limits = environment.limits
        let rate = Allowance.rate(limits.ticketRequestsPerSecond)
        if let wait = ticketMeter.take(ticket, rate, at: environment.now()) {
            throw .rateLimited(
                "A ticket is good for \(rate.perSecond) requests a second to this node.",
                waitMicroseconds: wait)
        }
        guard request.body.count <= limits.ticketBodyBytesMax else {
            throw ProblemDocument(
                .bodyTooLarge,
                "With a ticket the body must not be longer than \(limits.ticketBodyBytesMax) bytes."
            )
        }
    }
}
