import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// What `roles.sql` and the migrations take away, and somebody gave back.
@Suite(.timeLimit(.minutes(2)))
struct `The doctor sees rights that nobody needs` {
    private func script(_ pool: Pool, _ sql: String) async throws {
        try await pool.withConnection { (connection) async throws(PostgresError) in
            try await connection.script(sql)
        }
    }

    @Test(arguments: DatabaseUser.allCases)
    func `and none in a database that is as Islet makes it`(user: DatabaseUser) async throws {
        let database = try await user.database()
        #expect(try await SpareRights.look(database.pool) == SpareRights())
    }

    @Test func `of users who may make what Islet's statements would find`() async throws {
        let database = try await TestDatabase.makeAsServed()
        try await database.letAllMakeTemporaryTables()
        var expected = SpareRights(makesTemporaryTables: true)
        #expect(try await SpareRights.look(database.pool) == expected)
        try await script(
            database.pool, "GRANT CREATE ON SCHEMA public TO PUBLIC")
        expected.makesObjects = true
        #expect(try await SpareRights.look(database.pool) == expected)
        let found = RolesCheck.findings(expected)
        #expect(
            found.map(\.what) == [
                "the users for tenants' questions may make temporary tables in the database, and "
                    + "anything in the tables' schema"
            ])
        #expect(found.first?.remedy.contains("roles.sql in this database again") == true)
    }

    @Test(arguments: [DatabaseUser.served, .ordinary])
    func `of all to execute what works as the owner, whose command takes them back`(
        user: DatabaseUser
    ) async throws {
        let database = try await user.database()
        try await script(
            database.pool,
            """
            GRANT EXECUTE ON FUNCTION note_move() TO PUBLIC;
            CREATE FUNCTION "peep 'in"() RETURNS bigint LANGUAGE sql SECURITY DEFINER
                AS 'SELECT count(*) FROM api_key'
            """)
        let found = RolesCheck.findings(try await SpareRights.look(database.pool))
        #expect(
            found.map(\.what) == [
                "not only the owner of the tables may execute note_move()",
                "others may execute what is SECURITY DEFINER and not Islet's: \"peep 'in\"()",
            ])
        for finding in found {
            let command = try #require(finding.remedy.firstMatch(of: /psql -c '(.*)'$/)?.1)
            try await script(database.pool, String(command).replacing(#"'\''"#, with: "'"))
        }
        #expect(try await SpareRights.look(database.pool) == SpareRights())
    }
}
