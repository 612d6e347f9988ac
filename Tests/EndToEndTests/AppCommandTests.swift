import EventStore
import Foundation
import Postgres
import TLS
import TestSupport
import Testing

/// A tenant on a database of its own, and the files that its operator has.
private struct Operator {
    let database: TestDatabase
    let directory: ScratchDirectory

    static func with(_ body: (Operator) async throws -> Void) async throws {
        let database = try await TestDatabase.make()
        _ = try await database.store.tenants.ensure("acme")
        try await ScratchDirectory.with { directory in
            let person = Operator(database: database, directory: directory)
            try person.write("master.key", String(repeating: "5c", count: 32))
            for name in ["one", "two"] {
                try person.write("\(name).p8", ES256PrivateKey.generate().pem)
            }
            try await body(person)
        }
    }

    func write(_ name: String, _ text: String) throws {
        let isWritten = FileManager.default.createFile(
            atPath: directory.file(name), contents: Data(text.utf8),
            attributes: [.posixPermissions: 0o600])
        try #require(isWritten)
    }

    func islet(_ words: String...) async throws -> IsletProgram.Result {
        try await IsletProgram.run(words + ["--database-url", database.url], in: directory)
    }

    func add(
        _ command: String = "add", _ keyID: String = "KEY0000001", _ file: String = "one.p8",
        _ more: [String] = []
    ) async throws -> IsletProgram.Result {
        let team = command == "add" ? ["--team", "TEAM000001"] : []
        return try await IsletProgram.run(
            [
                "apps", command, "--tenant", "acme", "--bundle", "com.example.app", "--key-id",
                keyID, "--key-file", directory.file(file), "--master-key-file",
                directory.file("master.key"), "--database-url", database.url,
            ] + team + more, in: directory)
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `The commands about apps` {
    @Test func `add, rotate, list and remove keys, and never show one`() async throws {
        try await Operator.with { person in
            let secret = try String(
                contentsOfFile: person.directory.file("one.p8"), encoding: .utf8
            )
            .split(separator: "\n")[1]
            let added = try await person.add()
            #expect(added.code == 0, "\(added.errors)")
            #expect(added.errors.contains("KEY0000001"))
            let again = try await person.add()
            #expect(again.code == 1)
            #expect(again.errors.contains("has the key KEY0000001 already"))
            #expect(again.errors.contains("islet apps remove --key-id KEY0000001"))
            let other = try await person.add("add", "KEY0000002", "two.p8")
            #expect(other.errors.contains("islet apps rotate"))
            let rotated = try await person.add("rotate", "KEY0000002", "two.p8")
            #expect(rotated.code == 0, "\(rotated.errors)")
            let list = try await person.islet("apps", "list")
            let lines = list.output.split(separator: "\n")
            #expect(lines.count == 3)
            #expect(lines[1].contains(#/KEY0000001 +both +- /#))
            #expect(lines[2].contains(#/KEY0000002 +both +sandbox,production /#))
            let removed = try await person.islet(
                "apps", "remove", "--tenant", "acme", "--bundle", "com.example.app", "--key-id",
                "KEY0000001")
            #expect(removed.code == 0, "\(removed.errors)")
            let unasked = try await person.islet(
                "apps", "remove", "--tenant", "acme", "--bundle", "com.example.app")
            #expect(unasked.code == 1)
            #expect(unasked.errors.contains("nothing was removed; --yes"), "\(unasked.errors)")
            let last = try await person.islet(
                "apps", "remove", "--tenant", "acme", "--bundle", "com.example.app", "--yes")
            #expect(last.errors.contains("1 key of com.example.app removed"))
            #expect(try await person.database.store.apps.keys().isEmpty)
            for result in [added, again, other, rotated, list, removed, last] {
                #expect(!(result.output + result.errors).contains(secret))
            }
        }
    }

    @Test func `say what is wrong with what they are given`() async throws {
        try await Operator.with { person in
            try person.write("certificate.p8", "-----BEGIN CERTIFICATE-----\nAAAA\n")
            let certificate = try await person.add("add", "KEY0000001", "certificate.p8")
            #expect(certificate.code == 1)
            #expect(certificate.errors.contains("is a certificate"))
            let short = try await person.add("add", "KEY01")
            #expect(short.code == 2)
            #expect(short.errors.contains("--key-id must have 10"))
            let nothing = try await person.add("rotate")
            #expect(nothing.errors.contains("islet apps add"))
            try person.write("AuthKey_KEY0000009.p8", ES256PrivateKey.generate().pem)
            let named = try await person.add("add", "KEY0000001", "AuthKey_KEY0000009.p8")
            #expect(named.code == 0)
            #expect(named.errors.contains("names another key"))
        }
    }

    @Test func `list channels that APNs says nothing of, and the reason`() async throws {
        try await Operator.with { person in
            #expect(try await person.add().code == 0)
            _ = try await person.database.pool.query(
                """
                INSERT INTO channel (tenant, activity_id, bundle_id, environment, storage, state,
                    channel_id, last_failure, wanted_at, opened_at)
                SELECT id, 'a', 'com.example.app', 'sandbox', 'none', 'open', 'c=',
                    'TooManyRequests', now(), now()
                FROM tenant
                """)
            let list = try await person.islet(
                "channels", "list", "--master-key-file", person.directory.file("master.key"),
                "--apns-url", "https://127.0.0.1:9", "--apns-channels-url", "https://127.0.0.1:9")
            #expect(list.code == 1, "\(list.errors)")
            #expect(list.output.contains(#/unchecked +c= .*TooManyRequests/#), "\(list.output)")
            #expect(list.errors.contains("no answer from APNs"), "\(list.errors)")
        }
    }

    @Test func `keep a server from starting that could open no key`() async throws {
        try await Operator.with { person in
            _ = try await person.add()
            let without = try await person.islet("serve", "--port", "0")
            #expect(without.code == 1)
            #expect(without.errors.contains("there is no --master-key-file"))
            let remedy =
                "islet apps remove --tenant NAME --bundle com.example.app --key-id KEY0000001"
            #expect(without.errors.contains(remedy))
            try person.write("other.key", String(repeating: "6d", count: 32))
            let wrong = try await person.islet(
                "serve", "--port", "0", "--master-key-file", person.directory.file("other.key"))
            #expect(wrong.code == 1)
            #expect(wrong.errors.contains("has no line that opens the key KEY0000001"))
            #expect(wrong.errors.contains(remedy))
            try await RunningServer.with(
                [
                    "--database-url", person.database.url, "--master-key-file",
                    person.directory.file("master.key"),
                ], in: person.directory
            ) { server in
                let health = try await server.curl("/healthz", in: person.directory)
                #expect(health.status == 200)
            }
        }
    }

    /// The file of another server, or one that was made a second time.
    @Test func `refuse a master key with which no server could open the rest`() async throws {
        try await Operator.with { person in
            let file = person.directory.file("master.key")
            func webhook(_ words: String...) async throws -> IsletProgram.Result {
                try await IsletProgram.run(
                    ["webhooks"] + words + [
                        "--tenant", "acme", "--master-key-file", file, "--database-url",
                        person.database.url,
                    ], in: person.directory)
            }
            var ids: [String] = []
            for path in ["one", "two"] {
                let added = try await webhook("add", "--url", "https://shop.example/\(path)")
                #expect(added.code == 0, "\(added.errors)")
                let id = try #require(added.errors.firstMatch(of: /wh_[0-9a-f]{24}/))
                ids.append(String(id.0))
            }
            try person.write("master.key", String(repeating: "7e", count: 32))
            let lacking = "--master-key-file has no line that opens the secret of the webhook wh_"
            let refused = [
                try await person.add(), try await webhook("add", "--url", "https://shop.example/"),
                try await webhook("rotate", ids[0]),
            ]
            for result in refused {
                #expect(result.code == 1)
                #expect(result.errors.contains(lacking), "\(result.errors)")
                #expect(result.errors.contains("give the file that it was sealed with"))
            }
            #expect(try await person.database.store.apps.keys().isEmpty)
            // If that file is lost, one after the other has a way out.
            let left = [(lacking, true), ("does not open everything", false)]
            for (id, (sentence, isSaid)) in zip(ids, left) {
                let rotated = try await webhook("rotate", id, "--overlap-seconds", "0")
                #expect(rotated.code == 0, "\(rotated.errors)")
                #expect(rotated.errors.contains(sentence) == isSaid, "\(rotated.errors)")
                #expect(rotated.errors.contains("sealed with another master key"))
            }
            #expect(try await person.add().code == 0)
            // Likewise by an app's key.
            try person.write("master.key", String(repeating: "6d", count: 32))
            let rotated = try await person.add("rotate", "KEY0000002", "two.p8")
            #expect(rotated.code == 1)
            #expect(rotated.errors.contains("has no line that opens the key KEY0000001"))
            let added = try await webhook("add", "--url", "https://shop.example/")
            #expect(added.code == 1)
            #expect(added.errors.contains("has no line that opens the key KEY0000001"))
        }
    }

    @Test func `seal everything again with another master key`() async throws {
        try await Operator.with { person in
            _ = try await person.add()
            let file = person.directory.file("master.key")
            let (old, new) = (
                String(repeating: "5c", count: 32), String(repeating: "7e", count: 32)
            )
            try person.write("master.key", new)
            let lost = try await person.islet("apps", "rewrap-keys", "--master-key-file", file)
            #expect(lost.code == 1)
            try person.write("master.key", "\(new)\n\(old)\n")
            let pool = person.database.pool
            _ = try await pool.query(
                """
                INSERT INTO tenant_move (tenant, name, move, state, cell)
                SELECT id, name, 'm', 'arriving', 'eu2' FROM tenant
                """)
            let early = try await person.islet("apps", "rewrap-keys", "--master-key-file", file)
            #expect(early.code == 1 && early.errors.contains("is arriving from cell eu2"))
            _ = try await pool.query("DELETE FROM tenant_move")
            let before = try await person.database.store.apps.keys()
            let resealed = try await person.islet("apps", "rewrap-keys", "--master-key-file", file)
            #expect(
                resealed.errors.contains("1 of 1 keys are encrypted again"), "\(resealed.errors)")
            let after = try await person.database.store.apps.keys()
            #expect(before.map(\.masterKeyID) != after.map(\.masterKeyID))
            let twice = try await person.islet("apps", "rewrap-keys", "--master-key-file", file)
            #expect(twice.errors.contains("0 of 1 keys"))
        }
    }
}
