import Domain
import EventLoop
import Foundation
import Glibc
import Simulator

extension Command {
    static let simulate = Command(
        path: ["simulate"],
        summary: "Run the APNs simulator with its simulated phones.",
        discussion: """
            Answers pushes and broadcasts over HTTP/2 and TLS as Apple does, and hands them to
            simulated phones. Broadcast channels are managed on a port of their own.
            Phones are added and looked at over a plain HTTP control port; docs/reference/
            simulator.md describes both. Writes AuthKey.p8 and authority.pem for the server's
            --apns-key-file and --apns-authority-file.
            """,
        options: [
            OptionSpec(
                "host", .text(placeholder: "ADDRESS"), "Address to listen on.",
                default: "127.0.0.1"),
            OptionSpec(
                "apns-port", .integer(0...65535), "Port for pushes and broadcasts; 0 for any.",
                default: "2197"),
            OptionSpec(
                "management-port", .integer(0...65535),
                "Port for the management of broadcast channels; 0 for any.",
                default: "2196"),
            OptionSpec(
                "control-port", .integer(0...65535), "Port for the control API; 0 for any.",
                default: "2198"),
            OptionSpec(
                "name", .text(placeholder: "HOST"),
                "Further host name that the certificate is for.", repeats: true),
            OptionSpec(
                "environment", .choice(APNsEnvironment.allCases.map(\.rawValue)),
                "Which of Apple's environments to be.",
                default: APNsEnvironment.sandbox.rawValue),
            OptionSpec(
                "bundle-id", .text(placeholder: "ID"), "The app's bundle id.",
                default: "dev.islet.demo"),
            OptionSpec(
                "key-id", .text(placeholder: "ID"), "Id of the signing key.",
                default: "SIMULATED1"),
            OptionSpec(
                "team-id", .text(placeholder: "ID"), "The team's id.",
                default: "SIMULATED0"),
            OptionSpec(
                "credentials-dir", .text(placeholder: "DIR"),
                "Where to write the key and the authority.", default: "."),
        ],
        examples: [
            "islet simulate --credentials-dir /tmp",
            "islet simulate --environment production --bundle-id com.example.shop",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let signals = Signals.stream([SIGTERM, SIGINT])
        let log = Log(lowest: .info)
        let directory = arguments.text("credentials-dir") ?? "."
        let running = try await SimulatorSetup.start(
            configuration(arguments), loop: EventLoop(name: "simulator"),
            credentialsDirectory: directory)
        log(
            .info, "simulating APNs",
            [
                "pushes": "https://127.0.0.1:\(running.apnsPort)",
                "channels": "https://127.0.0.1:\(running.managementPort)",
                "control": "http://127.0.0.1:\(running.controlPort)",
                "credentials": directory,
            ])
        for await _ in signals { break }
        await running.stop()
    }

    @Sendable private static func configuration(_ arguments: Arguments) -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration(now: WallClock.now)
        configuration.host = arguments.text("host") ?? configuration.host
        configuration.apnsPort = arguments.integer("apns-port") ?? 0
        configuration.managementPort = arguments.integer("management-port") ?? 0
        configuration.controlPort = arguments.integer("control-port") ?? 0
        configuration.furtherHosts += arguments.texts("name")
        configuration.bundleID = arguments.text("bundle-id") ?? configuration.bundleID
        configuration.keyID = arguments.text("key-id") ?? configuration.keyID
        configuration.teamID = arguments.text("team-id") ?? configuration.teamID
        configuration.environment =
            arguments.text("environment").flatMap(APNsEnvironment.init) ?? .sandbox
        return configuration
    }
}
