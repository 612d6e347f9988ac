internal import EventLoop
public import TLS

/// What a server shows its clients, which may be replaced while it runs. Connections keep what they
/// began with.
public final class ServerIdentity: Sendable {
    private let present: Lock<TLSContext>

    public init(_ context: TLSContext) {
        present = Lock(context)
    }

    /// For the next connection.
    public var context: TLSContext { present.withLock { $0 } }

    public func replace(by context: TLSContext) {
        present.withLock { $0 = context }
    }
}
