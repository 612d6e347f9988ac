enum Limits {
    /// APNs accepts a token for an hour and wants a new one no more often than every 20 minutes.
    /// Ten minutes are left for clocks that differ and requests that wait.
    static let providerTokenReuseSeconds: Int64 = 50 * 60
    /// How long a connection shows a token before it may show the next one. APNs wants 20 minutes.
    /// Apple does not say whether the token that a connection begins with counts, so it counts. A
    /// minute is left for requests that travel for long.
    static let providerTokenShownSecondsMin: Int64 = 21 * 60
    /// How often one push is sent again after the peer said that it did not process it: once for a
    /// connection that is being closed, once more for bad luck.
    static let resendsMax = 2
    /// Pushes that are asked for together up to this number go before those of whole pages.
    static let fewMax = 32
    /// Of pages, how many begin in one iteration of the loop, which takes half a millisecond.
    /// Whatever else the loop carries waits for that long.
    static let manyPerIteration = 32
    /// To one host by one client. APNs allows a thousand streams on each.
    static let connectionsMax = 8
    /// How long somebody waits for a stream before a further connection is opened: about what the
    /// handshake costs, so that a short burst is over before.
    static let growAfterMillis = 50
    /// How often those who wait are looked after.
    static let queueTickMillis = 25
    /// Failures to connect, one after the other, after which the circuit breaker opens.
    static let circuitFailuresMax = 5
}
