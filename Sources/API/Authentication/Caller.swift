import Domain
import EventStore
import HTTP

/// The owner of the key or ticket that a call came with. Routes that touch a tenant's data get no
/// other tenant to ask for. An object, since every step of a request passes it on.
final class Caller: Sendable {
    enum Credential: Sendable {
        case key(Grant)
        /// - Parameter id: of the ticket.
        case ticket(Ticket, id: Int)
    }

    let allowance: Allowance
    private let buckets: TenantBuckets
    let credential: Credential
    let scope: Scope
    let authenticator: Authenticator
    /// What the browser of somebody who has signed in sent; nil for a caller with a key or a
    /// ticket.
    let signedInBy: SessionCookie?

    init(
        allowance: Allowance, buckets: TenantBuckets, credential: Credential, scope: Scope,
        authenticator: Authenticator, signedInBy: SessionCookie? = nil
    ) {
        self.allowance = allowance
        self.buckets = buckets
        self.credential = credential
        self.scope = scope
        self.authenticator = authenticator
        self.signedInBy = signedInBy
    }

    var tenant: TenantID {
        switch credential {
        case .key(let grant): grant.key.tenant.id
        case .ticket(let ticket, _): ticket.tenant
        }
    }

    var largeWork: LargeWork { authenticator.largeWork }

    /// Whose a request's body is while it is in memory.
    var bodyOwners: [BodyOwner] {
        let tenant = self.tenant.rawValue
        let own: [BodyOwner] =
            switch credential {
            case .key(let grant):
                [BodyOwner("key \(grant.key.keyID)", bytesMax: Limits.reservedBytesPerKeyMax)]
            case .ticket(_, let id):
                [
                    BodyOwner("ticket \(id)", bytesMax: Limits.reservedBytesPerTicketMax),
                    BodyOwner("tickets \(tenant)", bytesMax: Limits.reservedBytesOfTicketsMax),
                ]
            }
        return own + [BodyOwner("tenant \(tenant)", bytesMax: Limits.reservedBytesPerTenantMax)]
    }

    /// The key, for what no ticket opens.
    func key() throws(ProblemDocument) -> KeyGrant {
        if case .key(let grant) = credential { return grant.key }
        throw ProblemDocument(.ticketTooNarrow, "A ticket is for one activity alone.")
    }

    /// The name under which acts are written down.
    func name() throws(ProblemDocument) -> String {
        let id = try key().keyID
        return signedInBy == nil ? "key \(id)" : "key \(id), signed in to the dashboard"
    }

    /// Asks the store, at most every few seconds, whether the key is still valid.
    func isStillGranted() async -> Bool {
        switch credential {
        case .key(let grant):
            await authenticator.isStillGranted(scope, grant)
        case .ticket(let ticket, _): await authenticator.isStillGood(ticket)
        }
    }

    private var now: Moment { authenticator.environment.now() }

    /// Whether one event more may be recorded; takes none.
    func checkEventsLeft(at now: Moment) throws(ProblemDocument) {
        if let wait = buckets.takeEvents(0, at: now) { throw tooManyEvents(waitMicroseconds: wait) }
    }

    /// Whether one byte more may be sent; takes none.
    func checkBytesLeft() throws(ProblemDocument) {
        if let wait = buckets.takeBytes(0, at: now) {
            throw .tooManyBytes(allowance, waitMicroseconds: wait)
        }
    }

    /// Charges what a body was unpacked to beyond its own bytes.
    func charge(bodyBytes count: Int) {
        guard count > 0 else { return }
        buckets.chargeBytes(count, at: now)
    }

    /// Charges the body of a request that was admitted by its head alone, if so much is left.
    func chargeOrRefuse(bodyBytes count: Int) throws(ProblemDocument) {
        guard count > 0, let wait = buckets.takeBytes(count, at: now) else { return }
        throw .tooManyBytes(allowance, waitMicroseconds: wait)
    }

    /// Charges events that are refused as requests: to find and to say what is wrong takes its
    /// time, and they use up none of the tenant's events.
    func charge(errors count: Int) {
        guard count > 0 else { return }
        buckets.chargeRequests(count, at: now)
    }

    /// To be called before what a phone says of itself is written down. Beside what its tenant may
    /// keep, what a ticket may write is bounded, for anybody may have it.
    /// - Parameter name: the push token or installation that is to be served from now on; nil when
    ///   there is none.
    func chargeOrRefuse(registrationOf name: String?) throws(ProblemDocument) {
        if case .ticket(let ticket, let id) = credential {
            try authenticator.registrationMeter.take(
                name, ticket, id, authenticator.environment.limits, at: now)
        }
        if name != nil { try requireRoomForRegistration() }
    }

    /// To be called before anything else is kept of phones or for them, known or not.
    func requireRoomForRegistration() throws(ProblemDocument) {
        let environment = authenticator.environment
        guard environment.mayRegister(tenant) else {
            throw ProblemDocument(
                .quotaExceeded,
                "The tenant may keep \(environment.limits.storedRegistrationsMax) registrations, "
                    + "start tokens, audiences and channels, which it does.")
        }
    }

    /// To be called before events are recorded, once for all of them.
    func chargeOrRefuse(events count: Int) throws(ProblemDocument) {
        try checkQuota()
        if let wait = buckets.takeEvents(count, at: now) {
            throw tooManyEvents(waitMicroseconds: wait)
        }
    }
}

extension Caller {
    /// Throttles the client of a long body until its events may be recorded. The key has to be
    /// valid all the time.
    func chargeThrottled(events count: Int) async throws(ProblemDocument) {
        try await checkKey()
        try checkQuota()
        if let wait = await throttle({ buckets.takeEvents(count, at: now) }) {
            throw tooManyEvents(waitMicroseconds: wait)
        }
    }

    /// Throttles it for its bytes.
    func chargeThrottled(bytes count: Int) async throws(ProblemDocument) {
        if let wait = await throttle({ buckets.takeBytes(count, at: now) }) {
            throw .tooManyBytes(allowance, waitMicroseconds: wait)
        }
    }

    /// Throttles it for what is wrong with its lines: each error counts as a request.
    /// - Parameter throttledMicroseconds: for all of its errors so far. A packed body has far
    ///   more of them than bytes were sent, and goes on without its client.
    func chargeThrottled(
        errors count: Int, _ throttledMicroseconds: inout Int64
    ) async throws(ProblemDocument) {
        try await checkKey()
        let wait = await throttle(
            { buckets.takeRequest(count, at: now) }, &throttledMicroseconds)
        if let wait {
            throw .tooManyRequests(allowance, waitMicroseconds: wait)
        }
    }

    private func throttle(_ take: () -> Int64?) async -> Int64? {
        var throttled: Int64 = 0
        return await throttle(take, &throttled)
    }

    /// - Returns: nil when it was taken; else microseconds after which it could be.
    private func throttle(_ take: () -> Int64?, _ throttled: inout Int64) async -> Int64? {
        while let wait = take() {
            throttled += wait
            guard throttled <= Limits.throttleSecondsMax * 1_000_000, !Task.isCancelled else {
                return wait
            }
            try? await Task.sleep(for: .microseconds(wait))
        }
        return nil
    }

    private func checkQuota() throws(ProblemDocument) {
        guard let usage = authenticator.environment.usage(tenant) else { return }
        try allowance.check(usage)
    }

    func checkKey() async throws(ProblemDocument) {
        guard await isStillGranted() else {
            throw authenticator.refusal(
                .invalidKey, "The API key was revoked or expired during the request.")
        }
    }

    private func tooManyEvents(waitMicroseconds: Int64) -> ProblemDocument {
        .rateLimited(
            "The tenant may send \(allowance.events.perSecond) events a second to this node.",
            waitMicroseconds: waitMicroseconds)
    }
}
