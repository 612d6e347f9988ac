import Domain
import EventStore
import Foundation
import Postgres
import PostgresStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct `The restore commands` {
    private func restore(
        _ words: [String], _ url: String, in directory: ScratchDirectory
    ) async throws -> IsletProgram.Result {
        try await IsletProgram.run(
            ["restore"] + words + ["--database-url", url], in: directory)
    }

    @Test func `hold a database, say so, and accept it as the log in an epoch of its own`()
        async throws
    {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("acme").id
        try await ScratchDirectory.with { directory in
            let sound = try await restore(["status"], database.url, in: directory)
            #expect(sound.code == 0, "\(sound.errors)")
            #expect(sound.output.contains("epoch 1"))
            #expect(sound.output.contains("not held"))

            let held = try await restore(["hold"], database.url, in: directory)
            #expect(held.code == 0, "\(held.errors)")
            let status = try await restore(["status", "--json"], database.url, in: directory)
            #expect(status.code == 1)
            #expect(status.output.contains(#""why":"asked""#) || status.output.contains("asked"))
            let seen = try await IsletProgram.run(
                ["doctor", "--database-url", database.url], in: directory)
            #expect(seen.code == 1)
            #expect(seen.output.contains("FAULT log "), "\(seen.output)\(seen.errors)")
            #expect(seen.output.contains("an operator asked for that"))

            let accepted = try await restore(["accept"], database.url, in: directory)
            #expect(accepted.code == 0, "\(accepted.errors)")
            #expect(accepted.errors.contains("The newest states are sent again."))
            #expect(try await database.store.identity.kept(tenant, 1) == 0)
            #expect(try await restore(["status"], database.url, in: directory).code == 0)
        }
    }

    @Test func `begin no epoch of a log that is not held`() async throws {
        let database = try await TestDatabase.make()
        try await ScratchDirectory.with { directory in
            let accepted = try await restore(["accept"], database.url, in: directory)
            #expect(accepted.code == 1)
            #expect(accepted.errors.contains("the log is not held"), "\(accepted.errors)")
            #expect(accepted.errors.contains("islet restore hold"))
            #expect(try await database.store.identity.look().epoch == 1)

            let complete = try await restore(
                ["accept", "--complete"], database.url, in: directory)
            #expect(complete.code == 0, "\(complete.errors)")
            #expect(try await database.store.identity.look().epoch == 1)
            let both = try await restore(
                ["accept", "--complete", "--clock-ahead-seconds", "60"], database.url,
                in: directory)
            #expect(both.code == 2)
            #expect(both.errors.contains("--clock-ahead-seconds and --complete"), "\(both.errors)")
        }
    }

    @Test func `say which server they mean, and accept none of two that take writes`()
        async throws
    {
        let folder = TestServer.temporaryDirectory()
        let primary = try await PrivatePostgres.start(
            dataDirectory: folder, settings: ["fsync": "off", "shared_buffers": "16MB"])
        try TestServer.cleanUpAfterThisProcess(primary, folder)
        let pool = TestDatabase.pool(primary.url)
        _ = try await EventStore.migrator.migrate(pool)
        await pool.close()
        let standby = try CopiedServer.standby(of: primary, in: folder + "-standby")
        defer {
            try? standby.kill()
            try? primary.kill()
        }
        let url = standby.url(beside: primary)
        try await ScratchDirectory.with { directory in
            let alone = try await restore(["accept", "--complete"], url, in: directory)
            #expect(alone.code == 0, "\(alone.errors)")
            try standby.promote()
            let held = try await restore(["hold"], url, in: directory)
            #expect(held.errors.contains("on \(standby.directory):"), "\(held.errors)")
            let status = try await restore(["status"], url, in: directory)
            #expect(status.output.contains("server \(standby.directory):"), "\(status.output)")
            let accepted = try await restore(["accept"], url, in: directory)
            #expect(accepted.code == 1)
            #expect(accepted.errors.contains("(timeline 2) and "), "\(accepted.errors)")
            #expect(accepted.errors.contains("(timeline 1) take writes"))

            try primary.kill()
            let chosen = try await restore(["accept"], url, in: directory)
            #expect(chosen.code == 0, "\(chosen.errors)")
            #expect(chosen.errors.contains("on \(standby.directory):"), "\(chosen.errors)")
        }
    }

    @Test func `are obeyed by a server that runs`() async throws {
        let database = try await TestDatabase.make()
        try await ScratchDirectory.with { directory in
            let made = try await IsletProgram.run(
                ["keys", "create", "--tenant", "acme", "--database-url", database.url],
                in: directory)
            let key = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
            try await RunningServer.with(["--database-url", database.url], in: directory) {
                server in
                // It starts again in between, and nobody listens for a moment.
                func answer(_ path: String) async throws -> String {
                    try await IsletProgram.start(
                        program: [
                            "curl", "--silent", "--header", "Authorization: Bearer \(key)",
                            "http://127.0.0.1:\(server.port)\(path)",
                        ], in: directory
                    ).result().output
                }
                #expect(try await answer("/v1/events").contains("\"epoch\":1,"))
                _ = try await restore(["hold"], database.url, in: directory)
                try await waitUntil("the server is held") {
                    try await answer("/v1/events").contains("/problems/log-held")
                }
                #expect(try await answer("/healthz").contains("islet restore status"))

                _ = try await restore(["accept"], database.url, in: directory)
                try await waitUntil("the server goes on") {
                    try await answer("/v1/events").contains("\"events\"")
                }
                let epoch = try await database.store.identity.look().epoch
                let next = "/v1/events?after=\(epoch):0"
                #expect(try await answer("/v1/events").contains(next))
                #expect(try await answer("/v1/events?after=5").contains("/problems/log-restored"))
            }
        }
    }

    @Test func `advise to restore nothing over rows that are hidden`() async throws {
        let database = try await TestDatabase.makeAsServed()
        let tenant = try await database.store.tenants.ensure("acme").id
        try await database.recordOrder(of: tenant)
        _ = try await database.pool.query("ALTER TABLE event FORCE ROW LEVEL SECURITY")
        try await ScratchDirectory.with { directory in
            let status = try await restore(["status"], database.url, in: directory)
            #expect(status.code == 1)
            #expect(status.output.contains("wrong: nobody can say whether the log is whole"))
            let accepted = try await restore(
                ["accept", "--complete"], database.url, in: directory)
            let served = try await IsletProgram.run(
                ["serve", "--port", "0", "--database-url", database.url], in: directory)
            for refused in [accepted, served] {
                #expect(refused.code == 1)
                #expect(refused.errors.contains("restore no backup before"), "\(refused.errors)")
            }
            for result in [status, accepted, served] {
                let words = result.output + result.errors
                #expect(!words.contains("from one and the same backup"), "\(words)")
            }
        }
    }

    @Test func `refuse a database in which something is ahead of the log, and so does a server`()
        async throws
    {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("acme").id
        _ = try await database.pool.query(
            "UPDATE projection_checkpoint SET position = 7 WHERE tenant = $1",
            [.int4(tenant.rawValue)])
        try await ScratchDirectory.with { directory in
            let complaint = "the checkpoint of acme is 7, and its log ends at 0"
            let status = try await restore(["status"], database.url, in: directory)
            #expect(status.code == 1)
            #expect(status.output.contains(complaint))
            let accepted = try await restore(["accept"], database.url, in: directory)
            #expect(accepted.code == 1)
            #expect(accepted.errors.contains(complaint))
            #expect(accepted.errors.contains("one and the same backup"))
            let served = try await IsletProgram.run(
                ["serve", "--port", "0", "--database-url", database.url], in: directory)
            #expect(served.code == 1)
            #expect(served.errors.contains(complaint))
            #expect(try await database.store.identity.look().epoch == 1)
        }
    }
}
