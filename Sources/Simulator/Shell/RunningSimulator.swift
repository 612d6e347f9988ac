import HTTP

/// A simulator that listens: APNs and its channel management over HTTP/2 and TLS, the control API
/// over HTTP/1.1.
public struct RunningSimulator: Sendable {
    public let simulator: Simulator
    public let controlPort: Int
    public let credentials: SimulatorCredentials
    let gateways: [Gateway]
    let control: HTTP1Server
    /// Lets simulated time pass once a second, so that observers hear of cards gone stale unasked.
    let ticker: Task<Void, Never>

    /// For pushes and broadcasts.
    public var apnsPort: Int { credentials.apnsPort }
    /// For channel management.
    public var managementPort: Int { credentials.managementPort }
    /// Trust this authority to reach APNs.
    public var authorityPEM: String { credentials.authorityPEM }
    /// Sign provider tokens with this key.
    public var signingKeyPEM: String { credentials.signingKeyPEM }
    public var teamID: String { credentials.teamID }
    public var keyID: String { credentials.keyID }
    public var bundleID: String { credentials.bundleID }

    /// Answers what is under way, then closes; observers' streams end.
    public func stop(within limit: Duration = .seconds(2)) async {
        ticker.cancel()
        for gateway in gateways { await gateway.stop(within: limit) }
        await control.drain(within: limit)
        simulator.finish()
    }
}
