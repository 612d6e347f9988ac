/// What stands between a socket's owner and the wire, such as TLS. Loop-bound, as its socket is.
public protocol SocketFilter: AnyObject {
    /// Takes bytes of the wire, and hands the owner what is in them.
    func open(
        _ wire: UnsafeRawBufferPointer, _ onPlain: (UnsafeRawBufferPointer) -> Void
    ) -> SocketFilterVerdict
    /// Appends what `plain` becomes on the wire, and whatever else is to be sent. `plain` may be
    /// empty. What cannot be sealed is dropped, and `open` says why it failed.
    func seal(_ plain: UnsafeRawBufferPointer, into wire: inout [UInt8])
    /// Appends what tells the peer that nothing more will come.
    func close(into wire: inout [UInt8])
}

/// What becomes of a connection after some bytes of it.
public enum SocketFilterVerdict: Hashable, Sendable {
    case open
    /// The peer said properly that it sends no more.
    case endedByPeer
    /// Nothing more can be made of the connection.
    case failed
}
