import Domain
import EventStore
import Locks

/// Remembers for a few seconds what tenants' tickets are signed with, which keys may have made
/// them, and what tenants may use. Tenants without a secret are not remembered: guessing must not
/// fill the cache.
final class TicketKeyring: Sendable {
    private let store: EventStore
    private let environment: APIEnvironment
    let rings: KeyCache<TenantID, TicketRing>
    private let ownCell = Lock<(cell: Cell?, until: Moment)?>(nil)

    init(store: EventStore, environment: APIEnvironment) {
        self.store = store
        self.environment = environment
        rings = KeyCache(lifetimeSeconds: environment.limits.keyCacheSeconds)
    }

    func lookUp(_ ticket: Ticket) async throws(ProblemDocument) -> TicketLookup {
        let tenant = ticket.tenant
        let (known, changeCount) = rings.lookUp(tenant, at: environment.now())
        if let known, known.knows(ticket) { return .here(known) }
        // Another node may have made it a moment ago.
        let found = try await environment.asked(
            "checking a ticket", try await store.tickets.lookUp(ticketsOf: tenant))
        if case .here(let ring) = found, !ring.secrets.isEmpty {
            rings.insert(
                ring, of: tenant, for: tenant, at: environment.now(), changeCount: changeCount)
        }
        return found
    }

    /// The cell that new tickets begin with.
    func cell() async throws(ProblemDocument) -> Cell? {
        let now = environment.now()
        if let known = ownCell.withLock({ $0 }), now < known.until { return known.cell }
        let cell = try await environment.asked(
            "making a ticket", try await store.tenants.ownCell())
        let until = now.adding(seconds: environment.limits.keyCacheSeconds)
        ownCell.withLock { $0 = (cell, until) }
        return cell
    }
}

extension TicketRing {
    /// The one that has signed it, if that still counts.
    func secret(of ticket: Ticket) -> TicketSecret? {
        secrets.first { $0.id == ticket.secretID }
    }

    /// A ticket from before tickets named their key has half a day at most.
    func hasKey(of ticket: Ticket) -> Bool {
        ticket.keyID.map(livingKeys.contains) ?? true
    }

    /// Whether all that it depends on was there when this was read.
    fileprivate func knows(_ ticket: Ticket) -> Bool {
        secret(of: ticket) != nil && ticket.keyID ?? 0 <= newestKeyID
    }
}
