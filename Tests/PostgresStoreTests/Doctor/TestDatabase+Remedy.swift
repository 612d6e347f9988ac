import Postgres
import TestSupport

extension TestDatabase {
    /// A pool of the server's administrator on this database.
    func makeAdministrator() async throws -> Pool {
        let plain = try await TestDatabase.makeEmpty()
        let name = try await pool.query("SELECT current_database()::text")[0].text(0)
        return TestDatabase.pool(plain.url.replacing(/\/\/\/[^?]*/, with: "///\(name)"))
    }

    /// Does what a remedy says, each `-c` in a transaction of its own, as psql has it.
    /// - Parameter pool: of whom it asks for; nil for the owner of the tables.
    func carryOut(_ remedy: String, as pool: Pool? = nil) async throws {
        let commands = remedy.matches(of: /-c '((?:[^']|'\\'')*)'/)
        try await (pool ?? self.pool).withConnection {
            (connection) async throws(PostgresError) in
            for command in commands {
                let statements = String(command.1).replacing(#"'\''"#, with: "'")
                try await connection.script(statements)
            }
        }
    }
}
