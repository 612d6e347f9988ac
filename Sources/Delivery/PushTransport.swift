public import APNs
public import APNsClient
public import Domain

/// How a push leaves the house, and with whose key. The live one has `APNsClient`s for each app.
public struct PushTransport: Sendable {
    public var push: @Sendable (TenantApp, PushRequest) async -> PushResult
    /// Why nothing is sent for an app just now; nil when something is.
    public var hold: @Sendable (TenantApp) -> String?

    public init(
        push: @escaping @Sendable (TenantApp, PushRequest) async -> PushResult,
        hold: @escaping @Sendable (TenantApp) -> String? = { _ in nil }
    ) {
        self.push = push
        self.hold = hold
    }
}
