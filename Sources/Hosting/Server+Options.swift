import AppKeys
import DatabaseAccess
public import Terminal

/// The options of `islet serve`.
extension Server {
    public static let options =
        [
            OptionSpec(
                "port", .integer(0...65535), "Port to listen on; 0 for any.", default: "8080"),
            OptionSpec(
                "host", .text(placeholder: "ADDRESS"),
                "Address to listen on; or unix:PATH for a Unix-domain socket, and then no port.",
                default: "127.0.0.1"),
        ] + FrontDoor.options + MetricsListener.options + Database.options
        + [Database.visitorOption] + ConnectionPlan.options + APNsSetup.options
        + WebhookOptions.reaching + LimitOptions.all + GiveUpOptions.all + KeepOptions.all
        + TraceOptions.all + [
            OptionSpec(
                "role", .choice(Server.Role.allCases.map(\.rawValue)),
                "What this node does besides answering HTTP. Default: everything.",
                repeats: true),
            NodeName.option,
            OptionSpec(
                "lag-seconds-max", .integer(1...86_400),
                "Seconds that an event may wait to be folded while its tenant's checkpoint "
                    + "stands still; after that a warning and a metric say so.",
                default: "30"),
            StopSignals.drainDelay,
            OptionSpec(
                "log-level", .choice(Log.Level.allCases.map(\.rawValue)),
                "Lowest level that is logged.",
                default: "info", isReloadable: true),
            OptionSpec(
                "log-format", .choice(Log.Format.allCases.map(\.rawValue)),
                "Form of log lines: text, one JSON object each, or with the level in front as "
                    + "journald takes it. Default: journald if it reads them, else text."),
        ]

    /// Serves until a signal ends it.
    public static func run(_ arguments: Arguments) async throws(CommandFailure) {
        let node = try NodeName.of(arguments)
        let log = Log(
            lowest: level(arguments), node: node,
            format: arguments.text("log-format").flatMap(Log.Format.init))
        try await run(arguments, node: node, log: log)
    }

    static func level(_ arguments: Arguments) -> Log.Level {
        arguments.text("log-level").flatMap(Log.Level.init) ?? .info
    }
}
