import APNsClient
import Delivery
import Domain
import EventLoop
import Foundation
import TLS

/// The way to APNs, as the options describe it.
struct APNsSetup: Sendable {
    static let options = [
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
        OptionSpec(
            "apns-key-file", .text(placeholder: "FILE"),
            "The .p8 key from Apple's developer site. Without it nothing is delivered."),
        OptionSpec("apns-key-id", .text(placeholder: "ID"), "Id of that key, 10 characters."),
        OptionSpec("apns-team-id", .text(placeholder: "ID"), "Your team id, 10 characters."),
        OptionSpec(
            "apns-authority-file", .text(placeholder: "FILE"),
            "Certificate authority to trust for APNs instead of the system's; for the simulator."),
        APNsNetwork.proxyOption,
    ]

    /// Of one environment.
    private struct Clients: Sendable {
        var pushes: APNsClient
        var broadcasts: APNsClient
        /// Nil when there is nowhere to make channels.
        var channels: APNsClient?
    }

    private let clients: [APNsEnvironment: Clients]

    /// - Returns: nil when no key is given.
    static func make(
        _ arguments: Arguments, loop: EventLoop, log: Log? = nil
    ) throws(CommandFailure) -> APNsSetup? {
        guard let keyFile = arguments.text("apns-key-file") else { return nil }
        let credentials = APNsCredentials(
            teamID: try identifier("apns-team-id", arguments),
            keyID: try identifier("apns-key-id", arguments), key: try key(keyFile))
        let tls: TLSContext
        do {
            tls = try .client(
                trust: arguments.text("apns-authority-file").map { .file($0) } ?? .system)
        } catch {
            throw .failed("--apns-authority-file cannot be used: \(error)")
        }
        let network = try APNsNetwork.make(arguments, log: log)
        var clients: [APNsEnvironment: Clients] = [:]
        for environment in APNsEnvironment.allCases {
            func client(_ endpoint: APNsEndpoint) -> APNsClient {
                APNsClient(
                    loop: loop, endpoint: endpoint, tls: tls, credentials: credentials,
                    network: network, now: { WallClock.now().unixSeconds })
            }
            let pushes =
                try endpoint("apns-url", arguments)
                ?? (environment == .production ? .production : .sandbox)
            clients[environment] = Clients(
                pushes: client(pushes),
                broadcasts: client(try endpoint("apns-broadcast-url", arguments) ?? pushes),
                channels: try channels(environment, arguments).map { client($0) })
        }
        return APNsSetup(clients: clients)
    }

    var transport: PushTransport {
        PushTransport { environment, request in
            await clients(of: environment).pushes.push(request)
        }
    }

    /// Nil when there is nowhere to make channels.
    var broadcasts: BroadcastTransport? {
        guard clients.values.allSatisfy({ $0.channels != nil }) else { return nil }
        return BroadcastTransport(
            send: { environment, request in
                await clients(of: environment).broadcasts.ask(request)
            },
            manage: { environment, request in
                guard let channels = clients(of: environment).channels else {
                    preconditionFailure("nowhere to make channels in \(environment)")
                }
                return await channels.ask(request)
            })
    }

    func close() async {
        for clients in clients.values {
            await clients.pushes.close()
            await clients.broadcasts.close()
            await clients.channels?.close()
        }
    }

    private func clients(of environment: APNsEnvironment) -> Clients {
        guard let clients = clients[environment] else {
            preconditionFailure("no APNs clients for \(environment)")
        }
        return clients
    }

    private static func identifier(
        _ name: String, _ arguments: Arguments
    ) throws(CommandFailure) -> String {
        let text = try arguments.required(name)
        guard text.count == 10, text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
        else { throw .usage("--\(name) must have 10 letters or digits, as Apple's site shows it") }
        return text
    }

    private static func key(_ file: String) throws(CommandFailure) -> ES256PrivateKey {
        guard let pem = try? String(contentsOfFile: file, encoding: .utf8) else {
            throw .failed("--apns-key-file: \(file) cannot be read")
        }
        do { return try ES256PrivateKey(pem: pem) } catch {
            throw .failed("--apns-key-file: \(file) is not a .p8 key as Apple issues them")
        }
    }

    /// A simulator's pushes never go with Apple's channels.
    private static func channels(
        _ environment: APNsEnvironment, _ arguments: Arguments
    ) throws(CommandFailure) -> APNsEndpoint? {
        if let given = try endpoint("apns-channels-url", arguments) { return given }
        guard arguments.text("apns-url") == nil else { return nil }
        return environment == .production ? .productionChannels : .sandboxChannels
    }

    private static func endpoint(
        _ option: String, _ arguments: Arguments
    ) throws(CommandFailure) -> APNsEndpoint? {
        guard let text = arguments.text(option) else { return nil }
        guard let url = URL(string: text), url.scheme == "https", let host = url.host() else {
            throw .usage("--\(option) must look like https://host:port")
        }
        return APNsEndpoint(host: host, port: url.port ?? 443)
    }
}
