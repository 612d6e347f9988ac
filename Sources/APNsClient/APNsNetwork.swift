public import APNs
public import HTTP

/// What clients share on their way to APNs; one value for all clients of a process.
public struct APNsNetwork: Sendable {
    /// Nil for the direct way.
    public var proxy: HTTPProxy?
    public var circuits: Circuits
    /// Nil when nobody counts.
    public var observer: (any APNsObserver)?

    public init(
        proxy: HTTPProxy? = nil, circuits: Circuits = Circuits(),
        observer: (any APNsObserver)? = nil
    ) {
        self.proxy = proxy
        self.circuits = circuits
        self.observer = observer
    }
}

/// Counts what is asked of APNs and what it answers, whatever is then made of it. Called where the
/// caller is, and on the loop of the clients.
public protocol APNsObserver: Sendable {
    /// So many requests are under way from now on.
    func asking(_ count: Int)
    /// Requests that were under way together no longer are.
    /// - Parameter renewed: how many of them APNs had refused before, as their token had expired;
    ///   they went out once more with another one.
    func answered(_ results: [PushResult], to requests: [APNsRequest], renewed: Int)
}

/// A host and port that speak the APNs protocol: Apple's, or a simulator's.
public struct APNsEndpoint: Hashable, Sendable {
    public var host: String
    public var port: Int

    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    public static let production = APNsEndpoint(host: "api.push.apple.com", port: 443)
    public static let sandbox = APNsEndpoint(host: "api.sandbox.push.apple.com", port: 443)

    /// Where channels are made and deleted: a host and port of their own.
    /// Source: Sending channel management requests to APNs.
    public static let productionChannels = APNsEndpoint(
        host: "api-manage-broadcast.push.apple.com", port: 2196)
    public static let sandboxChannels = APNsEndpoint(
        host: "api-manage-broadcast.sandbox.push.apple.com", port: 2195)
}

/// How long the client waits for what.
public struct APNsTiming: Hashable, Sendable {
    /// For one push, the wait for a connection and a free stream included.
    public var pushDeadline: Duration
    /// For one attempt to connect: look-up, TCP, TLS and the peer's settings.
    public var connectTimeout: Duration = .seconds(5)
    /// The wait after the first failed attempt to connect, doubled with each further one.
    public var reconnectDelayMin: Duration = .milliseconds(250)
    public var reconnectDelayMax: Duration = .seconds(30)
    /// How old a connection is at least when another one takes its place because APNs refused its
    /// provider token. It may refuse that of the next one as well, and Apple blocks clients that
    /// connect over and over.
    public var replaceDelay: Duration = .seconds(15)
    public var ping: HTTP2Ping = .standard

    public init(pushDeadline: Duration = .seconds(10)) { self.pushDeadline = pushDeadline }

    public static let standard = APNsTiming()
}
