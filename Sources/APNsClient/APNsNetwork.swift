public import HTTP

/// What clients share on their way to APNs; one value for all clients of a process.
public struct APNsNetwork: Sendable {
    /// Nil for the direct way.
    public var proxy: HTTPProxy?
    public var circuits: Circuits

    public init(proxy: HTTPProxy? = nil, circuits: Circuits = Circuits()) {
        self.proxy = proxy
        self.circuits = circuits
    }
}
