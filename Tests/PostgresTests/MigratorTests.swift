import Postgres
import TestSupport
import Testing

struct MigratorTests {
    private let first = Migration(number: 1, name: "t", sql: "CREATE TABLE t (n int4)")
    private let second = Migration(number: 2, name: "u", sql: "CREATE TABLE u (n int4);\n-- end")

    private func refusal(_ body: () async throws -> Void) async -> MigrationRefusal? {
        do {
            try await body()
            return nil
        } catch PostgresError.migration(let refusal) {
            return refusal
        } catch {
            Issue.record(error)
            return nil
        }
    }

    @Test func `each migration is applied once`() async throws {
        let pool = try await TestDatabase.makeEmpty().pool
        #expect(try await Migrator([first]).migrate(pool) == [first])
        #expect(try await Migrator([first, second]).migrate(pool) == [second])
        #expect(try await Migrator([first, second]).migrate(pool) == [])
        try await Migrator([first, second]).check(pool)
    }

    @Test func `two migrators at once apply everything once`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let migrator = Migrator([first, second])
        let applied = try await withThrowingTaskGroup(of: [Migration].self) { group in
            for _ in 0..<4 {
                let pool = database.makePool()
                group.addTask { try await migrator.migrate(pool) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(applied == [first, second])
    }

    @Test func `an edited migration is refused by name`() async throws {
        let pool = try await TestDatabase.makeEmpty().pool
        _ = try await Migrator([first]).migrate(pool)
        let edited = Migration(number: 1, name: "t", sql: first.sql + " ")
        let migrator = Migrator([edited, second])
        #expect(
            await refusal { _ = try await migrator.migrate(pool) }
                == .changed(number: 1, name: "t"))
        #expect(await refusal { try await migrator.check(pool) } == .changed(number: 1, name: "t"))
        #expect(try await pool.query("SELECT to_regclass('u') IS NULL")[0].get(0) == true)
    }

    @Test func `tables in a schema that is not searched are not made a second time`()
        async throws
    {
        let database = try await TestDatabase.makeEmpty()
        _ = try await database.pool.query("CREATE SCHEMA oven")
        let url = database.url + "&options=-csearch_path%3Doven"
        let there = Pool(
            PoolConfiguration(connection: ConnectionConfiguration(url: url)),
            loop: TestDatabase.loop)
        let migrator = Migrator([first])
        _ = try await migrator.migrate(there)
        #expect(
            await refusal { _ = try await migrator.migrate(database.pool) } == .otherSchema("oven"))
        #expect(await refusal { try await migrator.check(database.pool) } == .otherSchema("oven"))
        #expect(
            "\(MigrationRefusal.otherSchema("oven"))".contains("options=-csearch_path%3Doven"))
        // A user who names the schema may have two in one database.
        try await migrator.check(there)
        await there.close()
    }

    @Test func `a database newer than the program is refused and left alone`() async throws {
        let pool = try await TestDatabase.makeEmpty().pool
        _ = try await Migrator([first, second]).migrate(pool)
        let error = await refusal { _ = try await Migrator([first]).migrate(pool) }
        #expect(error == .databaseIsNewer(database: 2, program: 1))
        #expect(error?.description.contains("newer version of the program") == true)
    }

    /// It may have more migrations than this program, which a newer program would not help.
    @Test func `a database of other migrations is refused with what to do`() async throws {
        let pool = try await TestDatabase.makeEmpty().pool
        let other = Migration(number: 2, name: "other", sql: "CREATE TABLE other (n int4)")
        let third = Migration(number: 3, name: "v", sql: "CREATE TABLE v (n int4)")
        _ = try await Migrator([first, other, third]).migrate(pool)
        let edited = Migration(number: 1, name: "t", sql: first.sql + " ")
        let migrator = Migrator([edited, second])
        let expected = MigrationRefusal.otherHistory(number: 2, database: "other", program: "u")
        #expect(await refusal { _ = try await migrator.migrate(pool) } == expected)
        #expect(await refusal { try await migrator.check(pool) } == expected)
        #expect(expected.description.contains("export each tenant's log"))
        #expect(try await pool.query("SELECT to_regclass('u') IS NULL")[0].get(0) == true)
    }

    @Test func `checking an older or empty database says so and changes nothing`() async throws {
        let pool = try await TestDatabase.makeEmpty().pool
        let migrator = Migrator([first, second])
        #expect(
            await refusal { try await migrator.check(pool) }
                == .databaseIsOlder(database: 0, program: 2))
        _ = try await Migrator([first]).migrate(pool)
        #expect(
            await refusal { try await migrator.check(pool) }
                == .databaseIsOlder(database: 1, program: 2))
    }

    @Test func `a migration that fails takes the others of its run back`() async throws {
        let pool = try await TestDatabase.makeEmpty().pool
        let broken = Migration(number: 2, name: "broken", sql: "CREATE TABLE")
        await #expect(throws: PostgresError.self) {
            try await Migrator([first, broken]).migrate(pool)
        }
        #expect(try await pool.query("SELECT to_regclass('t') IS NULL")[0].get(0) == true)
        #expect(try await Migrator([first, second]).migrate(pool) == [first, second])
    }
}
