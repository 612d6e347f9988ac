import Foundation

extension Command {
    static let serve = Command(
        path: ["serve"],
        summary: "Run the server: HTTP API, dashboard, projector and sender.",
        discussion: """
            Without --database-url a private Postgres is started in the data directory; nothing
            else need be set up. Any number of servers may share one Postgres.
            SIGTERM or Ctrl-C finishes the requests under way and stops; a second one stops at once.
            SIGHUP reads --database-url-file, --master-key-file and --apns-key-file again.
            """,
        options: [
            OptionSpec(
                "port", .integer(0...65535), "Port to listen on; 0 for any.", default: "8080"),
            OptionSpec(
                "host", .text(placeholder: "ADDRESS"), "Address to listen on.",
                default: "127.0.0.1"),
        ] + FrontDoor.options + MetricsListener.options + Database.options
            + [Database.visitorOption] + ConnectionPlan.options + APNsSetup.options
            + WebhookOptions.reaching + LimitOptions.all
            + GiveUpOptions.all + [
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
                    "log-level", .choice(Log.levelNames), "Lowest level that is logged.",
                    default: "info"),
            ],
        examples: [
            "islet serve",
            "islet serve --port 9000 --database-url postgresql://islet@db/islet",
            "islet serve --apns-key-file AuthKey.p8 --apns-key-id ABC123DEFG "
                + "--apns-team-id DEF123GHIJ",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let level = arguments.text("log-level").flatMap(Log.Level.init) ?? .info
        let node = try NodeName.of(arguments)
        try await Server.run(arguments, node: node, log: Log(lowest: level, node: node))
    }
}
