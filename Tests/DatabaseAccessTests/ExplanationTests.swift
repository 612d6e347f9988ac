import EventStore
import Postgres
import Terminal
import Testing

@testable import DatabaseAccess

struct `What went wrong with Postgres` {
    private func words(_ error: PostgresError) -> String { Database.explanation(of: error) }

    @Test func `is said with the options when there are too few connections`() {
        let text = words(
            .notAdmitted(ServerError(sqlState: "53300", message: "too many clients")))
        for part in [
            "53300", "too many clients", "--database-connections-max",
            "--delivery-connections-max", "--visitor-connections-max", "max_connections",
        ] {
            #expect(text.contains(part), "\(part): \(text)")
        }
    }

    @Test(
        arguments: [
            (.notAdmitted(ServerError(sqlState: "28P01", message: "m")), "check --database-url"),
            (.cannotConnect(detail: "m"), "check --database-url and that the server runs"),
            (.connectionLost(detail: "m"), "check --database-url and that the server runs"),
            (.poolTimedOut(detail: "m"), "check --database-url and that the server runs"),
            (.sharedSession, "pool_mode = session"), (.notReplicated, "pg_stat_replication"),
            (.migration(.databaseIsOlder(database: 3, program: 7)), "islet migrate"),
            (
                .migration(.databaseIsNewer(database: 9, program: 7)),
                "use a newer version of the program"
            ),
        ] as [(PostgresError, String)])
    func `is said with what to do about it`(error: PostgresError, remedy: String) {
        #expect(words(error).contains(remedy), "\(words(error))")
    }

    @Test(
        arguments: [
            .notAdmitted(
                ServerError(sqlState: "XX000", message: "could not write init file")),
            .cannotConnect(detail: "no such socket"),
        ] as [PostgresError])
    func `is said of a private one with its log and its disk, and with no URL`(
        error: PostgresError
    ) {
        let text = Database.explanation(of: error, in: DataDirectory(path: "/"))
        #expect(text.contains(#/; see \/\/server\.log; its disk has \d+ MB left$/#), "\(text)")
        #expect(!text.contains("--database-url"))
    }

    @Test func `is said of the second login with its user and not with the database's address`() {
        let text = Database.explanation(
            of: ServerError(sqlState: "28P01", message: "wrong password"), visitor: "islet_visitor")
        #expect(text.hasPrefix("Postgres does not let islet_visitor in, the user of --database-v"))
        #expect(text.contains("(28P01): wrong password; give islet_visitor the password"))
        #expect(!text.contains("--database-url"))
    }

    @Test func `is said with the state that Postgres names it by`() {
        let text = words(.server(ServerError(sqlState: "42703", message: "no such column")))
        #expect(text == "Postgres refused (42703): no such column")
        #expect(
            Database.explanation(of: EventStoreError.failed(sqlState: "53100", detail: "full"))
                == "the database refused (53100): full")
    }

    @Test func `is said with who knows of a privilege that is missing`() {
        let remedy = "islet doctor looks for privileges that are missing"
        #expect(
            words(.server(ServerError(sqlState: "42501", message: "permission denied")))
                == "Postgres refused (42501): permission denied; \(remedy)")
        #expect(
            Database.explanation(of: EventStoreError.failed(sqlState: "42501", detail: "denied"))
                == "the database refused (42501): denied; \(remedy)")
    }

    @Test func `is no failure of a database that only takes reads`() {
        let text = Database.explanation(
            of: EventStoreError.unavailable(
                detail: "25006 cannot execute UPDATE in a read-only transaction"))
        #expect(text.hasPrefix("Postgres only takes reads (25006 cannot"), "\(text)")
        // One host may be all there is.
        #expect(text.contains("default_transaction_read_only") && text.contains("islet doctor"))
        #expect(!text.contains("give --database-url"))
        #expect(!text.contains("unavailable"))
    }

    @Test func `is waited for at the start only if it can pass`() {
        let passing: [PostgresError] = [
            .cannotConnect(detail: ""), .connectionLost(detail: ""), .poolTimedOut(detail: ""),
            .timedOut, .poolQueueFull,
            .notAdmitted(ServerError(sqlState: "57P03", message: "starting up")),
        ]
        for error in passing { #expect(error.isWorthWaiting, "\(error)") }
        let staying: [PostgresError] = [
            .sharedSession, .closed, .cancelled, .notReplicated, .privateServer(detail: ""),
            .migration(.databaseIsOlder(database: 1, program: 2)),
            .notAdmitted(ServerError(sqlState: "28P01", message: "wrong password")),
            .server(ServerError(sqlState: "42501", message: "permission denied")),
        ]
        for error in staying { #expect(!error.isWorthWaiting, "\(error)") }
    }
}
