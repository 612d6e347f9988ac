import DatabaseAccess
import EventStore
import Terminal

extension Command {
    static let migrate = Command(
        path: ["migrate"],
        summary: "Bring the database's schema up to date.",
        discussion: """
            `serve` does this by itself. Migrations are applied once, under a lock; a database that
            is newer than this program is refused and left alone.
            """,
        options: Database.options,
        examples: ["islet migrate", "islet migrate --database-url postgresql://islet@db/islet"]
    ) { (arguments) async throws(CommandFailure) in
        let database = try await Database.open(
            arguments, schema: .create, log: Log(lowest: .info))
        await database.close()
        Console.note("The schema is up to date.")
    }
}
