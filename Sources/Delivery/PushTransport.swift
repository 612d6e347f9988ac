public import APNs
public import APNsClient
public import Domain

/// How a push leaves the house, and with whose key. The live one has `APNsClient`s for each app.
public struct PushTransport: Sendable {
    public var push: @Sendable (TenantApp, PushRequest) async -> PushResult
    /// Why nothing is sent for an app just now; nil when something is.
    public var hold: @Sendable (TenantApp) -> String?
    /// Where `push` is at home: a task there does not change threads for each. Nil for anywhere.
    public var executor: (any TaskExecutor)?

    public init(
        push: @escaping @Sendable (TenantApp, PushRequest) async -> PushResult,
        hold: @escaping @Sendable (TenantApp) -> String? = { _ in nil },
        executor: (any TaskExecutor)? = nil
    ) {
        self.push = push
        self.hold = hold
        self.executor = executor
    }
}
