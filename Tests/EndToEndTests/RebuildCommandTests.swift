import Domain
import EventLoop
import EventStore
import Foundation
import Glibc
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct `A rebuild at the terminal` {
    @Test func `is paused by Ctrl-C, whatever call it was in`() async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("shop").id
        try await database.recordOrder(of: tenant)
        let lock = database.makePool(connectionsMax: 1)
        try await ScratchDirectory.with { directory in
            // The rebuild reads the log and waits, in the middle of a call.
            try await lock.withConnection { (connection) async throws(PostgresError) in
                try await connection.script("BEGIN; LOCK TABLE event IN ACCESS EXCLUSIVE MODE")
                await interrupt(database, directory)
                try await connection.script("ROLLBACK")
            }
        }
        await lock.close()
        let rebuild = try #require(try await database.store.rebuilds.list().first)
        #expect(rebuild.isPaused)
    }

    private func interrupt(_ database: TestDatabase, _ directory: ScratchDirectory) async {
        do {
            let program = try await IsletProgram.start(
                ["projections", "rebuild", "--tenant", "shop", "--database-url", database.url],
                in: directory)
            try await waitUntil("it reads the log", within: 30) {
                try await database.pool.query(
                    """
                    SELECT 1 FROM pg_locks WHERE relation = 'event'::regclass AND NOT granted
                        AND database = (SELECT oid FROM pg_database
                            WHERE datname = current_database())
                    """
                ).first != nil
            }
            await program.child.send(signal: SIGINT)
            let result = await program.result()
            #expect(result.code == 130, "\(result.output)\(result.errors)")
            #expect(result.errors.contains("paused at position 0"), "\(result.errors)")
        } catch { Issue.record(error) }
    }
}
