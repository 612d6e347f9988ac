import EventLoop
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

/// What scripts rely on: exit codes, and what goes to which stream.
@Suite(.timeLimit(.minutes(5)))
struct `The command line` {
    @Test(
        arguments: [
            ([], "Usage"), (["nonsense"], "unknown command 'nonsense'"),
            (["keys"], "'keys' needs one of: islet keys create"),
            (["keys", "create"], "--tenant is missing"),
            (["replay", "show"], "ACTIVITY is missing"),
            (["serve", "--port", "x"], "--port must be a whole number"),
            (["serve", "--port", "1", "--port", "2"], "--port is given twice"),
            (["serve", "--frobnicate"], "unknown option --frobnicate"),
            (["serve", "surplus"], "unexpected word 'surplus'"),
            (["erase", "order-1042"], "did you mean --subject ACTIVITY?"),
            (["erase", "--activity", "order-1042"], "did you mean --subject?"),
            (["demo", "--kind", "Chess"], "--kind must be one of"),
            (["demo", "--speed", "0x"], "--speed must be a factor such as 60x"),
            (["migrate", "--database-url"], "--database-url needs a value"),
            (["migrate", "--database-url", "x", "--data-dir", "y"], "give one of them"),
        ] as [([String], String)])
    func `ends with 2 for wrong usage and says what would be right`(
        arguments: [String], complaint: String
    ) async throws {
        try await ScratchDirectory.with { directory in
            let result = try await IsletProgram.run(arguments, in: directory)
            #expect(result.code == 2)
            let text = arguments.isEmpty ? result.output : result.errors
            #expect(text.contains(complaint), "\(text)")
            #expect(arguments.isEmpty || result.output.isEmpty)
        }
    }

    @Test(arguments: [
        [], ["serve"], ["demo"], ["simulate"], ["migrate"], ["keys", "create"],
        ["replay", "show"], ["replay", "verify"],
    ])
    func `ends with 0 for help, on standard output`(command: [String]) async throws {
        try await ScratchDirectory.with { directory in
            let result = try await IsletProgram.run(command + ["--help"], in: directory)
            #expect(result.code == 0)
            #expect(result.errors.isEmpty)
            #expect(result.output.contains("Usage: islet"))
            #expect(command.isEmpty || result.output.contains("Examples:"))
        }
    }

    @Test func `ends with 1 when the database is away and says so`() async throws {
        try await ScratchDirectory.with { directory in
            let url = "postgresql:///islet?host=\(directory.path)"
            let result = try await IsletProgram.run(
                ["keys", "create", "--tenant", "acme", "--database-url", url], in: directory)
            #expect(result.code == 1)
            #expect(result.errors.contains("cannot reach Postgres"), "\(result.errors)")
            #expect(result.output.isEmpty)
        }
    }

    @Test(arguments: [
        ["serve", "--port", "0"], ["migrate"], ["replay", "verify"],
        ["keys", "create", "--tenant", "acme"],
    ])
    func `ends with 1 for a database that is newer, and leaves it alone`(
        command: [String]
    ) async throws {
        let database = try await TestDatabase.make()
        _ = try await database.pool.query(
            "INSERT INTO islet_migration (number, name, checksum) VALUES (9999, 'future', '0')")
        try await ScratchDirectory.with { directory in
            let result = try await IsletProgram.run(
                command + ["--database-url", database.url], in: directory)
            #expect(result.code == 1)
            #expect(result.errors.contains("newer"), "\(result.errors)")
            #expect(result.errors.contains("9999"), "\(result.errors)")
            #expect(result.output.isEmpty)
            let tenants = try await database.store.tenants.all()
            #expect(tenants.isEmpty)
        }
    }
}
