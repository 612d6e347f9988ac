import Domain
import EventStore

extension FakeStore: RegistrationStore {
    func kept(_: TenantID, _: Int) -> Int { 0 }

    func tally(_: TenantID, _: ActivityID, _: Moment?) -> CardTally {
        CardTally(closed: [.dismissed: 1])
    }

    /// Phones that missed something and got it later: none.
    func behind(_: TenantID, _: ActivityID) -> PhonesBehind { PhonesBehind() }
}

extension FakeStore: TicketStore {
    func lookUp(ticketsOf tenant: TenantID) throws(EventStoreError) -> TicketLookup {
        if let cell = departedTenants[tenant] { return .departed(to: cell) }
        return .here(try ring(tenant))
    }

    func ensure(_ tenant: TenantID, _ fresh: [UInt8]) throws(EventStoreError) -> TicketSecret {
        try addSecret(tenant, fresh)
    }

    func rotate(_ tenant: TenantID, _ fresh: [UInt8]) throws(EventStoreError) -> TicketSecret {
        try addSecret(tenant, fresh)
    }
}
