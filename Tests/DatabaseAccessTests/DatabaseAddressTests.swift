import Foundation
import Postgres
import Terminal
import Testing

@testable import DatabaseAccess

private func arguments(
    _ words: [String], _ environment: [String: String] = [:]
) throws -> Arguments {
    let command = Command(
        path: ["migrate"], summary: "", options: Database.options, examples: [], run: { _ in })
    return try Arguments(words, for: command, environment: environment)
}

struct `The database that a command works on` {
    @Test func `is the private one in a directory, from the root, when no URL is given`() throws {
        guard case .directory(let path) = try DatabaseAddress.of(arguments(["--data-dir", "here"]))
        else { return try #require(Bool(false), "no directory") }
        #expect(path.hasPrefix("/") && path.hasSuffix("/here"))
    }

    @Test func `is what stands on the command line, whatever the environment says`() throws {
        let environment = ["DATABASE_URL": "postgresql://a@h/one"]
        guard case .directory = try DatabaseAddress.of(arguments(["--data-dir", "d"], environment))
        else { return try #require(Bool(false), "the environment won") }
        guard case .given(let url) = try DatabaseAddress.of(arguments([], environment))
        else { return try #require(Bool(false), "no URL") }
        #expect(url == "postgresql://a@h/one")
    }

    @Test func `cannot be two, and the complaint names both without a password`() throws {
        let words = ["--database-url", "postgresql://a:secret@h/one", "--data-dir", "d"]
        #expect {
            _ = try DatabaseAddress.of(arguments(words))
        } throws: { error in
            guard case .usage(let text)? = error as? CommandFailure else { return false }
            return text.contains("--database-url and --data-dir") && !text.contains("secret")
        }
        let environment = ["DATABASE_URL": "postgresql:///a", "ISLET_DATABASE_URL_FILE": "f"]
        #expect(throws: CommandFailure.self) {
            _ = try DatabaseAddress.of(arguments([], environment))
        }
    }

    @Test func `comes from the file that is named, without the line's end`() throws {
        let file = NSTemporaryDirectory() + "islet-url-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try "postgresql://a@h/one\n".write(toFile: file, atomically: true, encoding: .utf8)
        guard
            case .given(let url) = try DatabaseAddress.of(arguments(["--database-url-file", file]))
        else { return try #require(Bool(false), "no URL") }
        #expect(url == "postgresql://a@h/one")
        #expect(
            throws: CommandFailure.failed(
                "--database-url-file: \(file).not does not exist")
        ) {
            _ = try DatabaseAddress.of(arguments(["--database-url-file", file + ".not"]))
        }
    }
}

struct `A directory without a database` {
    @Test func `is refused, with the one that was probably meant`() throws {
        let base = NSTemporaryDirectory() + "islet-data-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: base) }
        let cluster = "\(base)/pizzeria/cluster"
        try FileManager.default.createDirectory(
            atPath: cluster, withIntermediateDirectories: true)
        try "15".write(toFile: "\(cluster)/PG_VERSION", atomically: true, encoding: .utf8)
        #expect(DataDirectory(path: "\(base)/pizzeria").complaint == nil)
        #expect(
            DataDirectory(path: "\(base)/pizeria").complaint
                == "there is no database in \(base)/pizeria; did you mean \(base)/pizzeria?")
        let other = try #require(DataDirectory(path: "\(base)/x/y/z").complaint)
        #expect(other.hasSuffix("islet serve --data-dir \(base)/x/y/z makes one"))
    }

    @Test func `has the options that name another beside it when nobody has named it`() {
        let standard = ServerPath.absolute(DatabaseAddress.defaultDirectory)
        // On this machine there may be one with nearly the same name.
        let remedy = DataDirectory(path: standard).remedy
        let options = "makes one; if the server has another, give --database-url or --data-dir"
        #expect(remedy.hasPrefix("did you mean") || remedy.hasSuffix(options))
    }

    @Test func `is not taken for one that cannot be looked into`() async throws {
        let file = NSTemporaryDirectory() + "islet-data-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try "".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(
            DataDirectory(path: file).complaint
                == "cannot look for a database in \(file): Not a directory")
        for (path, complaint) in [
            (file, "cannot open the directory \(file): Not a directory"),
            ("\(file)/data", "cannot open the directory \(file)/data: Not a directory"),
            ("/proc/islet/data", "cannot make the directory /proc/islet/data: "),
        ] {
            let error = await #expect(throws: PostgresError.self) {
                try await SharedPostgres.start(dataDirectory: path)
            }
            guard case .privateServer(let detail)? = error else {
                Issue.record("\(path): \(String(describing: error))")
                continue
            }
            #expect(detail.hasPrefix(complaint), "\(detail)")
        }
    }
}
