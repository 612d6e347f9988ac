import Foundation
import Postgres
import TestSupport
import Testing

/// A database that lets the program in on terms that it cannot accept, or not at all.
struct `A database that refuses` {
    @Test func `behind a pooler that shares sessions the server does not start and says why`()
        async throws
    {
        let database = try await TestDatabase.make()
        let bouncer = try await PgBouncer(before: database.url, mode: "transaction")
        defer { bouncer.stop() }
        try await ScratchDirectory.with { directory in
            for words in [["serve", "--port", "0"], ["tenants", "list"]] {
                let result = try await IsletProgram.run(
                    words + ["--database-url", bouncer.url], in: directory)
                #expect(result.code == 1)
                #expect(result.errors.contains("pool_mode = session"), "\(result.errors)")
            }
        }
    }

    @Test func `a program that finds no connection left names the options`() async throws {
        let database = try await TestDatabase.makeForOrdinaryUser(entersTenantRole: false)
        let row = try #require(
            try await database.pool.query("SELECT current_database()::text").first)
        let name = try row.get(0, as: String.self)
        _ = try await database.pool.query("ALTER DATABASE \(name) CONNECTION LIMIT 1")
        try await ScratchDirectory.with { directory in
            let list = ["tenants", "list", "--database-url", database.url]
            let refused = try await IsletProgram.run(list, in: directory)
            #expect(refused.code == 1)
            #expect(refused.errors.contains("53300"), "\(refused.errors)")
            #expect(
                refused.errors.contains("--database-connections-max"), "\(refused.errors)")
            // Gets in when one is given back while it tries.
            let waiting = try await IsletProgram.start(list, in: directory)
            try await Task.sleep(for: .seconds(1))
            await database.pool.close()
            let result = await waiting.result()
            #expect(result.code == 0, "\(result.errors)")
        }
    }

    @Test func `a server whose second login is refused names that one and not the database's URL`()
        async throws
    {
        let database = try await TestDatabase.makeAsServed()
        try await ScratchDirectory.with { directory in
            let result = try await IsletProgram.run(
                [
                    "serve", "--port", "0", "--database-url", database.url, "--database-visitor",
                    "nobody_at_all",
                ], in: directory)
            #expect(result.code == 1)
            let words = "does not let nobody_at_all in, the user of --database-visitor (28000)"
            #expect(result.errors.contains(words), "\(result.errors)")
            #expect(!result.errors.contains("check --database-url"), "\(result.errors)")
        }
    }

    @Test func `a server that can never have its connections does not start`() async throws {
        let database = try await TestDatabase.makeForOrdinaryUser(entersTenantRole: false)
        let row = try #require(
            try await database.pool.query("SELECT current_database()::text").first)
        let name = try row.get(0, as: String.self)
        _ = try await database.pool.query("ALTER DATABASE \(name) CONNECTION LIMIT 20")
        await database.pool.close()
        try await ScratchDirectory.with { directory in
            let serve = ["serve", "--port", "0", "--database-url", database.url]
            let result = try await IsletProgram.run(serve, in: directory)
            #expect(result.code == 1)
            #expect(
                result.errors.contains("may open 35 connections")
                    && result.errors.contains("the database's limit of 20"), "\(result.errors)")
        }
    }
}
