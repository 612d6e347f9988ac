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

/// Secrets of tickets. There is no row for a ticket: its signature is all the proof it needs.
public struct TicketStore: Sendable {
    /// Those that count, the one to sign with last; empty before the first ticket.
    public var secrets: @Sendable (TenantID) async throws(EventStoreError) -> [TicketSecret]
    /// The one to sign with; `fresh`, 32 bytes, becomes it when there is none.
    public var ensure:
        @Sendable (_ tenant: TenantID, _ fresh: [UInt8]) async throws(EventStoreError)
            -> TicketSecret
    /// `fresh` signs from now on. The one before counts until the next rotation, so that tickets
    /// under way stay valid; any older one is retired.
    public var rotate:
        @Sendable (_ tenant: TenantID, _ fresh: [UInt8]) async throws(EventStoreError)
            -> TicketSecret

    public init(
        secrets: @escaping @Sendable (TenantID) async throws(EventStoreError) -> [TicketSecret],
        ensure:
            @escaping @Sendable (_ tenant: TenantID, _ fresh: [UInt8])
            async throws(EventStoreError) -> TicketSecret,
        rotate:
            @escaping @Sendable (_ tenant: TenantID, _ fresh: [UInt8])
            async throws(EventStoreError) -> TicketSecret
    ) {
        self.secrets = secrets
        self.ensure = ensure
        self.rotate = rotate
    }
}
