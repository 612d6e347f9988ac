/// Sees the requests that a server's handler is given, and how each is answered and taken. Called
/// on the server's loop.
public protocol RequestObserver: Sendable {
    /// - Returns: false for a request that it leaves out, of whose answer it does not hear.
    func began(_ request: Request) -> Bool
    /// - Parameters:
    ///   - status: as it goes out, which is not the handler's where there is no room for its
    ///     answer; of a client that has gone, as it would have.
    ///   - isOfTenant: see `Response`.
    ///   - duration: until the answer begins, without the time for which a refusal waits.
    func answered(status: Int, isOfTenant: Bool, after duration: Duration)
    /// A client took too little of an answer in its time: its connection is closed, or its stream
    /// reset.
    func gaveUpSlowReader()
}
