import DatabaseAccess
import Terminal

extension Command {
    static let migrate = Command(
        path: ["migrate"],
        summary: "Bring the database's schema up to date.",
        discussion: """
            `serve` does this too. Migrations are applied once, under a lock. A database that is
            newer than this program is refused and left alone. So is one from before the first
            release: export each tenant's log with the program that made it (`events export`) and
            import it into a new database (`events import`).
            """,
        options: [OptionSpec.json] + Database.options,
        examples: ["islet migrate", "islet migrate --database-url postgresql://islet@db/islet"]
    ) { (arguments) async throws(CommandFailure) in
        let database = try await Database.open(
            arguments, schema: .create, log: Log(lowest: .info))
        await database.close()
        Console.done(arguments, ["isUpToDate": true], "The schema is up to date.")
    }
}
