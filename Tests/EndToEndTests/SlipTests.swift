import EventLoop
import Foundation
import Glibc
import Testing

/// A name that was typed wrongly makes nothing, and is answered with the one that was meant.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct `A slip of the finger` {
    /// Commands that make no database: in an empty one they would find nothing, or leave what no
    /// server knows of.
    static let finding: [[String]] = [
        ["keys", "create", "--tenant", "pizzeria"], ["tenants", "create", "pizzeria"],
        ["cells", "set", "eu1", "--here"],
        ["keys", "list"], ["keys", "revoke", "1"], ["keys", "rotate-tickets", "pizzeria"],
        ["tenants", "list"], ["tenants", "limits", "pizzeria"],
        ["tenants", "limits", "pizzeria", "--events", "5"], ["apps", "list"],
        ["apps", "remove", "--tenant", "pizzeria", "--bundle", "com.example"],
        ["webhooks", "list"], ["webhooks", "enable", "wh_1", "--tenant", "pizzeria"],
        ["dead-letters", "list", "--tenant", "pizzeria"], ["channels", "list"],
        ["projections", "list"], ["projections", "parked"], ["projections", "rebuild"],
        ["replay", "show", "order-1"], ["replay", "verify"],
        ["replay", "trace", "--to", "f.ndjson"],
        ["events", "export", "--tenant", "pizzeria", "--to", "f.ndjson"],
    ]
    /// Of those, the ones that name a tenant.
    static let naming: [[String]] = [
        ["keys", "list", "--tenant", "pizeria"], ["keys", "rotate-tickets", "pizeria"],
        ["tenants", "limits", "pizeria"], ["apps", "list", "--tenant", "pizeria"],
        ["webhooks", "list", "--tenant", "pizeria"],
        ["webhooks", "enable", "wh_1", "--tenant", "pizeria"],
        ["dead-letters", "list", "--tenant", "pizeria"],
        ["projections", "list", "--tenant", "pizeria"],
        ["projections", "parked", "--tenant", "pizeria"],
        ["replay", "show", "order-1", "--tenant", "pizeria"],
        ["events", "export", "--tenant", "pizeria", "--to", "f.ndjson"],
    ]

    @Test func `in a directory makes none, and in a tenant's name no tenant`() async throws {
        try await ScratchDirectory.with { directory in
            func islet(_ words: [String], _ data: String) async throws -> IsletProgram.Result {
                try await IsletProgram.run(words + ["--data-dir", data], in: directory)
            }
            let migrated = try await islet(["migrate"], directory.data)
            #expect(migrated.code == 0, "\(migrated.errors)")
            let made = try await islet(["keys", "create", "--tenant", "pizzeria"], directory.data)
            #expect(made.code == 0, "\(made.errors)")
            #expect(made.errors.contains("Tenant \"pizzeria\" is new."))
            for words in Self.finding {
                let result = try await islet(words, directory.file("dta"))
                #expect(result.code == 1, "\(words): \(result.errors)")
                #expect(
                    result.errors.contains(
                        "there is no database in \(directory.file("dta")); did you mean "
                            + "\(directory.data)?"), "\(words): \(result.errors)")
            }
            #expect(!FileManager.default.fileExists(atPath: directory.file("dta")))
            try await RunningServer.with(["--data-dir", directory.data], in: directory) { _ in
                for words in Self.naming {
                    let result = try await islet(words, directory.data)
                    #expect(result.code == 1, "\(words): \(result.errors)")
                    #expect(
                        result.errors.contains(
                            "there is no tenant \"pizeria\"; did you mean \"pizzeria\"?"),
                        "\(words): \(result.errors)")
                }
                let list = try await islet(["tenants", "list", "--json"], directory.data)
                #expect(list.output.contains("pizzeria") && !list.output.contains("pizeria\""))
                let slip = try await islet(
                    ["keys", "create", "--tenant", "pizeria"], directory.data)
                #expect(slip.errors.contains("is new; there was \"pizzeria\""), "\(slip.errors)")
            }
        }
    }

    @Test func `never shows a password`() async throws {
        try await ScratchDirectory.with { directory in
            let url = "postgresql://islet:a/s3cret@db/islet"
            let file = directory.file("url")
            try Data((url + "\n").utf8).write(to: URL(filePath: file))
            #expect(chmod(file, 0o600) == 0)
            for (words, environment) in [
                (["migrate", "--database-url", url], [:]), (["migrate", url], [:]),
                (["migrate", "--database-url-file", file], [:]),
                (["migrate"], ["DATABASE_URL": url]),
                (["replay", "verify", "--database-url=postgres//islet:s3cret@db/islet"], [:]),
                (["serve", "--port", "0"], ["ISLET_DATABASE_URL": url]),
            ] as [([String], [String: String])] {
                let result = try await IsletProgram.run(
                    words, in: directory, environment: environment)
                #expect(result.code == 2, "\(words): \(result.errors)")
                #expect(!(result.errors + result.output).contains("s3cret"), "\(result.errors)")
            }
            let socket = "postgresql://islet:s3cret@/islet?host=\(directory.path)"
            try Data(socket.utf8).write(to: URL(filePath: file))
            #expect(chmod(file, 0o644) == 0)
            let open = try await IsletProgram.run(
                ["migrate", "--database-url-file", file], in: directory)
            #expect(open.code == 1)
            #expect(open.errors.contains("others can read \(file)"), "\(open.errors)")
            #expect(open.errors.contains("cannot reach Postgres"), "\(open.errors)")
            let typed = try await IsletProgram.run(
                ["migrate", "--database-url", socket], in: directory)
            #expect(typed.errors.contains("list of processes"), "\(typed.errors)")
            #expect(!(open.errors + typed.errors).contains("s3cret"))
            let doctor = try await IsletProgram.run(
                ["doctor", "--database-url", socket], in: directory)
            let parts = doctor.errors.components(separatedBy: "list of processes")
            #expect(parts.count == 2, "\(doctor.errors)")
        }
    }
}
