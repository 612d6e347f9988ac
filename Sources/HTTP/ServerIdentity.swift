public import EventLoop
public import TLS

/// What a server shows its clients, which may be replaced while it runs. Connections keep what they
/// began with.
public typealias ServerIdentity = Lock<TLSContext>
