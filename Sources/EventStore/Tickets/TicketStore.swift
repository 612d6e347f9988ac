public import Domain

/// What a tenant's tickets are signed with.
public struct TicketSecret: Hashable, Sendable {
    public var id: Int
    /// 32 bytes.
    public var bytes: [UInt8]

    public init(id: Int, bytes: [UInt8]) {
        self.id = id
        self.bytes = bytes
    }
}

/// All that a tenant's tickets depend on.
public struct TicketRing: Hashable, Sendable {
    /// Those that count, the one to sign with last; empty before the first ticket.
    public var secrets: [TicketSecret] = []
    /// Ids of the tenant's API keys that are in force: tickets that others made are void.
    public var livingKeys: Set<Int64> = []
    /// The id of the newest API key that there is, of any tenant.
    public var newestKeyID: Int64
    public var limits = TenantLimits.none

    public init(newestKeyID: Int64 = 0) { self.newestKeyID = newestKeyID }
}

/// What is found about a tenant's presented tickets.
public enum TicketLookup: Hashable, Sendable {
    /// The ring is empty for a tenant without tickets, and for one that is not known.
    case here(TicketRing)
    /// The tenant has left this cell.
    case departed(to: Cell)
}

/// Secrets of tickets. There is no row for a ticket: its signature is all the proof it needs.
public protocol TicketStore: Sendable {
    func lookUp(ticketsOf tenant: TenantID) async throws(EventStoreError) -> TicketLookup
    /// The one to sign with; `fresh`, 32 bytes, becomes it when there is none.
    func ensure(_ tenant: TenantID, _ fresh: [UInt8]) async throws(EventStoreError) -> TicketSecret
    /// `fresh` signs from now on. The one before counts until the next rotation, so that tickets
    /// under way stay valid; any older one is retired.
    func rotate(_ tenant: TenantID, _ fresh: [UInt8]) async throws(EventStoreError) -> TicketSecret
}

extension TicketStore {
    /// The secrets of a tenant's tickets; nil for one that has left.
    public func ring(of tenant: TenantID) async throws(EventStoreError) -> TicketRing? {
        guard case .here(let ring) = try await lookUp(ticketsOf: tenant) else { return nil }
        return ring
    }
}
