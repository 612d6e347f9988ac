import Domain
import EventLoop
import Foundation
import Glibc
import Hosting
import Simulator
import Terminal

extension Command {
    static let simulate = Command(
        path: ["simulate"],
        summary: "Run the APNs simulator with its simulated phones.",
        discussion: """
            Answers pushes and broadcasts over HTTP/2 and TLS as Apple does, and hands them to
            simulated phones. Broadcast channels are managed on a port of their own.
            Phones are added and looked at over a plain HTTP control port, and faults are caused
            there; docs/reference/simulator.md describes it all. What clients do that Apple does
            not document is taken and noted in the log, unless --strict refuses it. A scenario is
            a JSON file with phones to begin with and faults and their times. Writes AuthKey.p8
            and authority.pem for the server's --apns-key-file and --apns-authority-file.
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
                "scenario", .text(placeholder: "FILE"),
                "Phones to begin with and what goes wrong and when, as JSON."),
            OptionSpec(
                "strict", .choice(Oddity.allCases.map(\.rawValue) + ["all"]),
                "Refuse this, of which it is not certain that Apple takes it.", repeats: true),
            OptionSpec(
                "seed", .integer(0...Int.max),
                "Equal ones give equal tokens and faults; a scenario's own counts before it."),
            OptionSpec(
                "credentials-dir", .text(placeholder: "DIR"),
                "Where to write the key and the authority.", default: "."),
        ],
        examples: [
            "islet simulate --credentials-dir /tmp",
            "islet simulate --environment production --bundle-id com.example.shop",
            "islet simulate --scenario rough-evening.json --seed 7",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let signals = Signals.stream([SIGTERM, SIGINT])
        let log = Log(lowest: .info)
        let directory = arguments.text("credentials-dir") ?? "."
        let scenario = try arguments.text("scenario").map(readScenario)
        var configuration = configuration(arguments, log: log)
        scenario?.apply(to: &configuration)
        let running = try await SimulatorSetup.start(
            configuration, loop: EventLoop(name: "simulator"), credentialsDirectory: directory,
            option: "credentials-dir")
        if let scenario {
            do throws(FieldProblem) { try scenario.begin(on: running.simulator) } catch {
                await running.stop()
                throw .usage("--scenario: \(error.sentence)")
            }
        }
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

    @Sendable private static func readScenario(
        _ path: String
    ) throws(CommandFailure) -> Scenario {
        let json = try GivenFile.read(path, option: "scenario", bytesMax: nil)
        do throws(FieldProblem) { return try Scenario(json: json) } catch {
            throw .usage("--scenario: \(path): \(error.sentence)")
        }
    }

    @Sendable private static func configuration(
        _ arguments: Arguments, log: Log
    ) -> SimulatorConfiguration {
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
        let strict = arguments.texts("strict")
        configuration.refused = Set(
            strict.contains("all") ? Oddity.allCases : strict.compactMap(Oddity.init))
        configuration.heed = { oddity, sentence in
            log(.warning, sentence, ["refused-by": "--strict \(oddity.rawValue)"])
        }
        configuration.seed = arguments.integer("seed").map(UInt64.init)
        return configuration
    }
}
