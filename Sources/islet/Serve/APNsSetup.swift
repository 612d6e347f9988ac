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
            "apns-key-file", .text(placeholder: "FILE"),
            "The .p8 key from Apple's developer site. Without it nothing is delivered."),
        OptionSpec("apns-key-id", .text(placeholder: "ID"), "Id of that key, 10 characters."),
        OptionSpec("apns-team-id", .text(placeholder: "ID"), "Your team id, 10 characters."),
        OptionSpec(
            "apns-authority-file", .text(placeholder: "FILE"),
            "Certificate authority to trust for APNs instead of the system's; for the simulator."),
    ]

    private let clients: [APNsEnvironment: APNsClient]

    /// - Returns: nil when no key is given.
    static func make(_ arguments: Arguments, loop: EventLoop) throws(CommandFailure) -> APNsSetup? {
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
        var clients: [APNsEnvironment: APNsClient] = [:]
        for environment in APNsEnvironment.allCases {
            clients[environment] = APNsClient(
                loop: loop, endpoint: try endpoint(environment, arguments), tls: tls,
                credentials: credentials, now: { WallClock.now().unixSeconds })
        }
        return APNsSetup(clients: clients)
    }

    var transport: PushTransport {
        PushTransport { environment, request in
            guard let client = clients[environment] else {
                preconditionFailure("no APNs client for \(environment)")
            }
            return await client.push(request)
        }
    }

    func close() async {
        for client in clients.values { await client.close() }
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

    private static func endpoint(
        _ environment: APNsEnvironment, _ arguments: Arguments
    ) throws(CommandFailure) -> APNsEndpoint {
        guard let text = arguments.text("apns-url") else {
            return environment == .production ? .production : .sandbox
        }
        guard let url = URL(string: text), url.scheme == "https", let host = url.host() else {
            throw .usage("--apns-url must look like https://host:port")
        }
        return APNsEndpoint(host: host, port: url.port ?? 443)
    }
}
