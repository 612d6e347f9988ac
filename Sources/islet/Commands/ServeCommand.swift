import Hosting
import Terminal

extension Command {
    static let serve = Command(
        path: ["serve"],
        summary: "Run the server: HTTP API, dashboard, projector and sender.",
        discussion: """
            Without --database-url a private Postgres is started in the data directory; nothing
            else need be set up. Any number of servers may share one Postgres.
            SIGTERM or Ctrl-C finishes the requests under way and stops; a second one stops at once.
            SIGHUP reads --config, --database-url-file, --master-key-file, --apns-key-file,
            --tls-certificate and --tls-key again.
            """,
        options: Server.options,
        examples: [
            "islet serve",
            "islet serve --port 9000 --database-url postgresql://islet@db/islet",
            "islet serve --apns-key-file AuthKey.p8 --apns-key-id ABC123DEFG "
                + "--apns-team-id DEF123GHIJ",
        ]
    ) { (arguments) async throws(CommandFailure) in try await Server.run(arguments) }
}
