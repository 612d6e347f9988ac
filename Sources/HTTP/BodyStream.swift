/// A request's body that is handed over as it comes. The client is slowed down to the speed at
/// which `next` is called, so a body of any length takes little memory.
public struct BodyStream: Sendable {
    /// Why there will be no more although the body is not over.
    public enum Failure: Error, Hashable, Sendable {
        /// The client stopped in the middle, or is gone.
        case cutShort
        /// The client sent nothing for too long.
        case timedOut
        /// What came is not framed as HTTP demands.
        case malformed
        /// The server is being shut down and will not wait for the rest.
        case serverStopping
    }

    /// The next bytes, never empty; nil after the last. Not for two callers at once.
    public let next: @Sendable () async throws(Failure) -> [UInt8]?

    public init(_ next: @escaping @Sendable () async throws(Failure) -> [UInt8]?) {
        self.next = next
    }
}
