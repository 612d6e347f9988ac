import EventLoop
public import HTTP

extension HTTP2Connection {
    /// What it says of itself, read on its loop.
    public func now<Value: Sendable>(
        _ read: @escaping @Sendable (HTTP2Connection) -> Value
    ) async -> Value {
        await loop.submit { read(self) }
    }
}
