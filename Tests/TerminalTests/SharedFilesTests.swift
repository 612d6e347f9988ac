import Foundation
import Glibc
import Testing

@testable import Terminal

private let command = Command(
    path: ["copy"], summary: "Copy a file.",
    operands: [Command.Operand(name: "FILE", help: "which one")],
    options: [
        OptionSpec("from", .text(placeholder: "FILE"), "What else.", repeats: true),
        OptionSpec("to", .text(placeholder: "FILE"), "Where to."),
        OptionSpec("rejects", .text(placeholder: "FILE"), "Where the rest goes."),
    ], examples: ["islet copy a --to b"]
) { _ async throws(CommandFailure) in }

/// What is said of two files that would be one.
private func complaint(_ words: String...) throws -> String? {
    let arguments = try Arguments(words, for: command, environment: [:])
    do throws(CommandFailure) {
        try arguments.refuseSharedFiles(written: ["to", "rejects"], read: ["FILE", "from"])
        return nil
    } catch { return error.text }
}

struct `A file that a command writes` {
    @Test func `is none that it reads, however the two are named`() throws {
        let directory = try PrivateDirectory("islet-shared-test")
        defer { directory.remove() }
        let file = directory.file("a")
        try "precious".write(toFile: file, atomically: false, encoding: .utf8)
        let link = directory.file("link")
        #expect(symlink(file, link) == 0)
        let hard = directory.file("hard")
        #expect(Glibc.link(file, hard) == 0)
        for other in [file, directory.file("./a"), link, hard] {
            #expect(
                try complaint(file, "--to", other)
                    == "--to would overwrite the file of FILE; name another file")
        }
        #expect(
            try complaint("/dev/null", "--from", directory.file("b"), "--from", link, "--to", file)
                == "--to would overwrite the file of --from; name another file")
        #expect(try complaint(file, "--from", file, "--to", directory.file("b")) == nil)
    }

    @Test func `is no other that it writes, though neither is there yet`() throws {
        let directory = try PrivateDirectory("islet-shared-test")
        defer { directory.remove() }
        let (new, same) = (directory.file("new"), directory.path + "/./new")
        #expect(
            try complaint("/dev/null", "--to", new, "--rejects", same)
                == "--rejects would overwrite the file of --to; name another file")
        #expect(
            try complaint("/dev/null", "--to", new, "--rejects", directory.file("newer")) == nil)
    }

    @Test func `may be a device or a pipe, which several may write`() throws {
        #expect(try complaint("/dev/null", "--to", "/dev/null", "--rejects", "/dev/null") == nil)
    }

    @Test func `is known by its directory, from the root or from here`() throws {
        let name = "islet-\(UUID().uuidString)"
        #expect(FileIdentity(name) != nil)
        #expect(FileIdentity(name) == FileIdentity("./\(name)"))
        #expect(FileIdentity(name) != FileIdentity("\(name)-2"))
        #expect(FileIdentity("/\(name)") != FileIdentity(name))
        // What writes there says that the directory is missing.
        #expect(FileIdentity("/\(name)/a") == nil)
        #expect(FileIdentity("") == nil)
    }
}

struct `A private directory that others may pass` {
    @Test func `can be gone through and not listed`() throws {
        let directory = try PrivateDirectory("islet-passed-test", canBePassed: true)
        defer { directory.remove() }
        var facts = stat()
        #expect(stat(directory.path, &facts) == 0 && facts.st_mode & 0o777 == 0o711)
    }
}

struct `A replacement that fails` {
    @Test func `leaves what was there, and nothing of its own`() async throws {
        let directory = try PrivateDirectory("islet-replaced-test")
        defer { directory.remove() }
        let path = directory.file("folds")
        try "old".write(toFile: path, atomically: false, encoding: .utf8)
        await #expect(throws: CommandFailure.failed("no more of it")) {
            try await ReplacedFile.write(path) { (file) async throws(CommandFailure) in
                file.write(Data("half".utf8))
                throw .failed("no more of it")
            }
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["folds"])
    }
}
