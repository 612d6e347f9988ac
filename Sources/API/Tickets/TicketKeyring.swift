import Domain
import EventStore
import Locks

/// Remembers for a few seconds what tenants' tickets are signed with, which keys may have made
/// them, and what tenants may use. Tenants without a secret are not remembered: guessing must not
/// fill the memory.
final class TicketKeyring: Sendable {
    private struct Entry {
        var ring: TicketRing
        var until: Moment
    }

    private let store: EventStore
    private let environment: APIEnvironment
    /// `changes` grows with every change: an answer of the store that is older is not kept.
    private let state = Lock((entries: [TenantID: Entry](), changes: UInt64(0)))
    private let ownCell = Lock<(cell: Cell?, until: Moment)?>(nil)

    init(store: EventStore, environment: APIEnvironment) {
        self.store = store
        self.environment = environment
    }

    /// Listens for as long as the keyring lives. News that are lost cost a few seconds.
    func follow(_ news: AsyncStream<StoreNotification>) {
        Task { [weak self] in
            for await item in news {
                guard let self else { return }
                note(item)
            }
        }
    }

    func standing(of ticket: Ticket) async throws(ProblemDocument) -> TicketStanding {
        if let known = remembered(ticket.tenant), known.knows(ticket) { return .here(known) }
        // Another node may have made it a moment ago.
        return try await read(ticket.tenant)
    }

    /// That new tickets begin with.
    func cell() async throws(ProblemDocument) -> Cell? {
        let now = environment.now()
        if let known = ownCell.withLock({ $0 }), now < known.until { return known.cell }
        let cell = try await environment.asked(
            "making a ticket", try await store.tenants.ownCell())
        let until = now.adding(seconds: environment.limits.keyCacheSeconds)
        ownCell.withLock { $0 = (cell, until) }
        return cell
    }

    func note(_ news: StoreNotification) {
        state.withLock {
            $0.changes += 1
            if case .news(.keysChanged, let tenant) = news {
                $0.entries[tenant] = nil
            } else {
                $0.entries.removeAll(keepingCapacity: true)
            }
        }
    }

    private func remembered(_ tenant: TenantID) -> TicketRing? {
        let now = environment.now()
        return state.withLock {
            $0.entries[tenant].flatMap { now < $0.until ? $0.ring : nil }
        }
    }

    private func read(_ tenant: TenantID) async throws(ProblemDocument) -> TicketStanding {
        let before = state.withLock { $0.changes }
        let standing = try await environment.asked(
            "checking a ticket", try await store.tickets.standing(of: tenant))
        guard case .here(let ring) = standing, !ring.secrets.isEmpty else { return standing }
        let until = environment.now().adding(seconds: environment.limits.keyCacheSeconds)
        state.withLock {
            guard before == $0.changes else { return }
            if $0.entries.count >= Limits.cachedKeysMax {
                $0.entries.removeAll(keepingCapacity: true)
            }
            $0.entries[tenant] = Entry(ring: ring, until: until)
        }
        return standing
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
