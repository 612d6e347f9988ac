import Domain
import EventStore
import HTTP

extension Authenticator {
    func caller(
        byTicket text: Substring.UTF8View, scope: Scope, activity: ActivityID?
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
        let allowance = Allowance(environment.limits, known.limits)
        try admit(ticket.tenant, allowance)
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
}
