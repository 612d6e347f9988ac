import Domain
import EventStore
import HTTP

extension Authenticator {
    func caller(
        byTicket text: [UInt8], of request: Request, scope: Scope, activity: ActivityID?
    ) async throws(ProblemDocument) -> Caller {
        guard let activity else {
            throw ProblemDocument(
                .ticketTooNarrow, "A ticket opens only what a phone does with its own activity.")
        }
        guard let presented = PresentedTicket(text),
            case let ring = try await self.ring(for: presented.ticket, request),
            let secret = ring.secret(of: presented.ticket),
            presented.isSigned(with: secret)
        else {
            throw refusal(.invalidTicket, "No server has made this ticket, or it was long ago.")
        }
        let ticket = presented.ticket
        guard environment.now().unixSeconds < ticket.expiresAt else {
            let end = Moment(unixSeconds: ticket.expiresAt).rfc3339
            throw refusal(.expiredTicket, "This ticket expired at \(end).")
        }
        guard ring.hasKey(of: ticket) else {
            throw refusal(.invalidTicket, "The API key that made this ticket was revoked.")
        }
        try chargeOrRefuse(request, with: ticket)
        var allowance = Allowance(environment.limits, ring.limits)
        allowance.limitBodies(to: environment.limits.ticketBodyBytesMax)
        let buckets = try chargeOrRefuse(request, ticket.tenant, allowance, at: environment.now())
        guard ticket.activity == activity else {
            throw ProblemDocument(.ticketTooNarrow, "The ticket is for another activity.")
        }
        guard ticket.scopes.contains(scope) else {
            throw ProblemDocument(
                .ticketTooNarrow, "The ticket was made with a key that may not read activities.")
        }
        return Caller(
            allowance: allowance, buckets: buckets, credential: .ticket(ticket, id: presented.id),
            scope: scope, authenticator: self)
    }

    /// What a ticket is checked with. For a tenant that has left only its cell is known here.
    private func ring(
        for ticket: Ticket, _ request: Request
    ) async throws(ProblemDocument) -> TicketRing {
        switch try await tickets.lookUp(ticket) {
        case .here(let ring): return ring
        case .departed(let cell): throw .elsewhere(cell, request)
        }
    }

    func isStillGood(_ ticket: Ticket) async -> Bool {
        guard environment.now().unixSeconds < ticket.expiresAt else { return false }
        // An unreachable store revokes nobody.
        guard let found = try? await tickets.lookUp(ticket) else { return true }
        guard case .here(let ring) = found else { return false }
        return ring.secret(of: ticket) != nil && ring.hasKey(of: ticket)
    }

    /// What is too much for a ticket does not count as its tenant's.
    private func chargeOrRefuse(_ request: Request, with ticket: Ticket) throws(ProblemDocument) {
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
