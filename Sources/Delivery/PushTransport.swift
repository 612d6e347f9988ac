public import APNs
public import APNsClient
public import Domain

/// How a push leaves the house. The live one is a pair of `APNsClient`s, one for each environment.
public struct PushTransport: Sendable {
    public var push: @Sendable (APNsEnvironment, PushRequest) async -> PushResult

    public init(push: @escaping @Sendable (APNsEnvironment, PushRequest) async -> PushResult) {
        self.push = push
    }
}
