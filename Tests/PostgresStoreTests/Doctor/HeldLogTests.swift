import Domain
import EventStore
import Foundation
import Postgres
import PostgresStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `A database that is held` {
    private func answer(
        _ database: TestDatabase, of check: String = "log"
    ) async throws -> DoctorCheck.Answer {
        let scene = DoctorScene(
            pool: database.pool, visitors: nil, hosts: [], nodes: 1,
            connectionsPerNode: .init(service: 40, visitor: 0), lagSecondsMax: 30,
            now: { Moment(unixSeconds: Int64(Date().timeIntervalSince1970)) })
        let reports = await DatabaseChecks.look(at: scene)
        return try #require(reports.first { $0.name == check }).answer
    }

    @Test func `is found by the doctor, with the words of the restore commands`() async throws {
        let database = try await TestDatabase.make()
        #expect(try await answer(database) == .fine("epoch 1, not held"))
        try await database.store.identity.hold(.asked, in: nil)
        guard case .findings(let findings) = try await answer(database) else {
            Issue.record("the hold goes unnoticed")
            return
        }
        #expect(findings.count == 1)
        #expect(findings[0].what.contains(LogExplanation.why(.asked)))
        #expect(findings[0].remedy == LogExplanation.remedy)
        for check in ["lag", "clock", "unsent changes", "owed phones"] {
            let left = try await answer(database, of: check)
            #expect(left == .unseen("not before the log is right"), "nobody works on it")
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `A database that takes no writes` {
    @Test func `is found by the doctor, who names the place of the setting`() async throws {
        let database = try await TestDatabase.make()
        let names = try await database.pool.query("SELECT quote_ident(current_database())")
        let name: String = try #require(names.first).get(0)
        let before = try #require(await Self.look(database.pool))
        #expect(before == .fine("are taken"))
        _ = try await database.pool.query(
            "ALTER ROLE CURRENT_USER IN DATABASE \(name) SET default_transaction_read_only = on")
        let later = database.makePool()
        guard case .findings(let findings)? = await Self.look(later) else {
            Issue.record("it goes unnoticed")
            return
        }
        #expect(findings.count == 1)
        // As psql carries it out, in a session that is read-only itself.
        let session = try await later.openDedicated()
        let remedy = try #require(findings.first?.remedy).split(separator: "'")
        for (index, part) in remedy.enumerated() where index % 2 == 1 {
            _ = try await session.query(String(part))
        }
        await session.close()
        await later.close()
        let after = database.makePool()
        #expect(await Self.look(after) == .fine("are taken"))
        await after.close()
        #expect(findings.first?.what.contains("is read-only") == true)
        #expect(findings.first?.remedy.contains("IN DATABASE \(name) RESET") == true)
    }

    @Test func `is found by the doctor when its disk has no room`() async throws {
        let database = try await TestDatabase.make()
        let pool = try await database.makePoolWithoutRoom()
        guard case .findings(let findings)? = await Self.look(pool) else {
            Issue.record("it goes unnoticed")
            return
        }
        #expect(findings.first?.what.hasPrefix("the database cannot write: 53") == true)
        #expect(await Self.look(pool, "clock") == .unseen("not while the database takes no writes"))
        await pool.close()
    }

    @Test func `is not taken for one that acknowledges too early, whose place is named too`()
        async throws
    {
        let database = try await TestDatabase.make()
        let names = try await database.pool.query("SELECT quote_ident(current_database())")
        let name: String = try #require(names.first).get(0)
        _ = try await database.pool.query("ALTER DATABASE \(name) SET synchronous_commit = off")
        let later = database.makePool()
        guard case .findings(let findings)? = await Self.look(later, "durability") else {
            Issue.record("it goes unnoticed")
            return
        }
        await later.close()
        // The tests' own Postgres does without the disk, which is a finding of its own.
        let found = try #require(findings.first { $0.what.contains("synchronous_commit") })
        let remedy = try #require(found.remedy.split(separator: "'").dropFirst().first)
        _ = try await database.pool.query(String(remedy))
        let after = database.makePool()
        if case .findings(let left)? = await Self.look(after, "durability") {
            #expect(!left.contains { $0.what.hasSuffix("in \(name)") })
        }
        await after.close()
    }

    private static func look(
        _ pool: Pool, _ check: String = "writes"
    ) async -> DoctorCheck.Answer? {
        let scene = DoctorScene(
            pool: pool, visitors: nil, hosts: [], nodes: 1,
            connectionsPerNode: .init(service: 40, visitor: 0), lagSecondsMax: 30,
            now: { .timeOfDay })
        return await DatabaseChecks.look(at: scene).first { $0.name == check }?.answer
    }
}
