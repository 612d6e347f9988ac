import Domain
import Encodings
import EventStore
import HTTP
import JSON
import TLS

struct TicketRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] {
        [Route(.post, "/v1/activities/{id}/tickets", .registrationsWrite, mint)]
    }

    /// The activity need not be known yet: an app is often quicker than the first event.
    private func mint(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let (id, key) = (try call.activityID(), try caller.key())
        let seconds =
            try await call.bodyNumber(
                "ttlSeconds", in: Limits.ticketSeconds, .invalidTicketRequest, caller)
            ?? Limits.ticketSecondsDefault
        let secret: TicketSecret
        do {
            let known = try await store.tickets.ring(of: caller.tenant)?.secrets.last
            secret =
                if let known { known } else {
                    try await store.tickets.ensure(caller.tenant, SecureRandom.bytes(32))
                }
        } catch { throw environment.problem(for: error, doing: "making a ticket") }
        let cell = try await caller.authenticator.tickets.cell()
        let wished = environment.now().unixSeconds + Int64(seconds)
        let ticket = Ticket(
            tenant: caller.tenant, activity: id,
            // No ticket outlives the key that made it.
            expiresAt: min(wished, key.expiresAt?.unixSeconds ?? wished),
            secretID: secret.id, reads: key.allows(.activitiesRead), keyID: key.keyID,
            nonce: Base64URL.encode(SecureRandom.bytes(8)))
        return Response.json(
            201,
            [
                "ticket": .string(ticket.sealed(with: secret, in: cell)),
                "expiresAt": .string(Moment(unixSeconds: ticket.expiresAt).rfc3339),
            ]
        ).located(at: id.path)
    }
}
