public import APNsClient
import Domain
public import EventLoop
import EventStore
import Foundation
import TLS
public import Terminal

/// The way to APNs and the keys to it, as the options describe them.
public struct APNsSetup: Sendable {
    public static let options = [
        OptionSpec(
            "apns-url", .text(placeholder: "URL"),
            "APNs to use instead of Apple's, for both environments, such as "
                + "https://127.0.0.1:2197 for the simulator."),
        OptionSpec(
            "apns-broadcast-url", .text(placeholder: "URL"),
            "Where broadcasts to channels are sent. Default: where pushes are."),
        OptionSpec(
            "apns-channels-url", .text(placeholder: "URL"),
            "Where channels are made and deleted. Default: Apple's host and port for each "
                + "environment; with --apns-url none, and nothing is broadcast."),
        MasterKeys.option,
        OptionSpec(
            "apns-key-file", .text(placeholder: "FILE"),
            "A .p8 key from Apple's developer site for all apps that islet apps add has given no "
                + "key of their own; enough for a single app.",
            isReloadable: true),
        OptionSpec(
            "apns-key-id", .text(placeholder: "ID"), "Id of that key, 10 characters.",
            needs: "apns-key-file", isReloadable: true),
        OptionSpec(
            "apns-team-id", .text(placeholder: "ID"), "Your team id, 10 characters.",
            needs: "apns-key-file", isReloadable: true),
        OptionSpec(
            "apns-authority-file", .text(placeholder: "FILE"),
            "Certificate authority to trust for APNs instead of the system's; for the simulator."),
        APNsNetwork.proxyOption,
    ]

    /// What is in no database.
    public var fallback: APNsCredentials?
    public var masterKeys: MasterKeys?
    public var loop: EventLoop
    var tls: TLSContext
    /// One for all, so that a host that is away is so for every app.
    public var network: APNsNetwork
    var endpoints: [APNsEnvironment: Endpoints]

    struct Endpoints: Sendable {
        var pushes: APNsEndpoint
        var broadcasts: APNsEndpoint
        /// Nil when there is nowhere to make channels.
        var channels: APNsEndpoint?
    }

    /// Whether any environment has channels. One that has none does not take them from the others.
    public var canBroadcast: Bool { endpoints.values.contains { $0.channels != nil } }

    /// - Returns: nil when there is no way to any key.
    public static func make(
        _ arguments: Arguments, loop: EventLoop, log: Log? = nil,
        observer: (any APNsObserver)? = nil
    ) throws(CommandFailure) -> APNsSetup? {
        let masterKeys = try MasterKeys.read(arguments)
        let fallback = try fallback(arguments)
        // Also what is of no use without a key is said to be wrong.
        let endpoints = try endpoints(arguments)
        let network = try APNsNetwork.make(arguments, log: log, observer: observer)
        let tls = try TLSContext.client(trusting: "apns-authority-file", arguments)
        guard fallback != nil || masterKeys != nil else { return nil }
        return APNsSetup(
            fallback: fallback, masterKeys: masterKeys, loop: loop, tls: tls,
            network: network, endpoints: endpoints)
    }

    private static func endpoints(
        _ arguments: Arguments
    ) throws(CommandFailure) -> [APNsEnvironment: Endpoints] {
        var endpoints: [APNsEnvironment: Endpoints] = [:]
        for environment in APNsEnvironment.allCases {
            let pushes =
                try endpoint("apns-url", arguments)
                ?? (environment == .production ? .production : .sandbox)
            endpoints[environment] = Endpoints(
                pushes: pushes,
                broadcasts: try endpoint("apns-broadcast-url", arguments) ?? pushes,
                channels: try channels(environment, arguments))
        }
        return endpoints
    }

    /// Those of apps without a key of their own, in each of APNs' environments.
    func fallbackClients(_ credentials: APNsCredentials) -> [APNsEnvironment: AppClients] {
        endpoints.mapValues { clients($0, credentials) }
    }

    /// Those of an app with its own key.
    /// - Parameter text: the key, opened.
    /// - Returns: nil when it is no key for the environment.
    func clients(
        _ environment: APNsEnvironment, _ identity: AppKeyIdentity, opened text: String
    ) -> AppClients? {
        guard let endpoints = endpoints[environment], let key = try? ES256PrivateKey(pem: text)
        else { return nil }
        return clients(
            endpoints,
            APNsCredentials(teamID: identity.teamID, keyID: identity.keyID, key: key))
    }

    /// Connections are opened when they are needed.
    private func clients(_ endpoints: Endpoints, _ credentials: APNsCredentials) -> AppClients {
        func client(_ endpoint: APNsEndpoint) -> APNsClient {
            APNsClient(
                loop: loop, endpoint: endpoint, tls: tls, credentials: credentials,
                network: network, now: { WallClock.now().unixSeconds })
        }
        return AppClients(
            pushes: client(endpoints.pushes), broadcasts: client(endpoints.broadcasts),
            channels: endpoints.channels.map(client))
    }

    /// The key for apps without one of their own; nil when no file is given.
    public static func fallback(_ arguments: Arguments) throws(CommandFailure) -> APNsCredentials? {
        guard let keyFile = arguments.text("apns-key-file") else { return nil }
        func identifier(_ name: String) throws(CommandFailure) -> String {
            try AppKeyFile.identifier(try arguments.required(name), option: name)
        }
        return APNsCredentials(
            teamID: try identifier("apns-team-id"), keyID: try identifier("apns-key-id"),
            key: try AppKeyFile.key(keyFile, option: "apns-key-file"))
    }

    /// A simulator's pushes never go with Apple's channels.
    private static func channels(
        _ environment: APNsEnvironment, _ arguments: Arguments
    ) throws(CommandFailure) -> APNsEndpoint? {
        if let given = try endpoint("apns-channels-url", arguments) { return given }
        guard arguments.text("apns-url") == nil else { return nil }
        return environment == .production ? .productionChannels : .sandboxChannels
    }

    static func endpoint(
        _ option: String, _ arguments: Arguments
    ) throws(CommandFailure) -> APNsEndpoint? {
        guard let text = arguments.text(option) else { return nil }
        guard let url = URL(string: text), url.scheme?.lowercased() == "https",
            let host = url.host(), (1...65_535).contains(url.port ?? 443)
        else { throw .usage("--\(option) must look like https://host:port") }
        return APNsEndpoint(host: host, port: url.port ?? 443)
    }
}
