public import APNs
public import APNsClient
public import Domain

/// How broadcasts leave the house, and how channels are made. The live one has connections of its
/// own for both: a broadcast must not queue behind a million pushes.
public struct BroadcastTransport: Sendable {
    /// Of `/4/broadcasts`.
    public var send: @Sendable (TenantApp, BroadcastRequest) async -> BroadcastResult
    /// Of channel management.
    public var manage: @Sendable (TenantApp, BroadcastRequest) async -> BroadcastResult

    public init(
        send: @escaping @Sendable (TenantApp, BroadcastRequest) async -> BroadcastResult,
        manage: @escaping @Sendable (TenantApp, BroadcastRequest) async -> BroadcastResult
    ) {
        self.send = send
        self.manage = manage
    }
}
