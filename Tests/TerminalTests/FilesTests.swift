import Foundation
import Glibc
import Testing

@testable import Terminal

/// What another user may have planted before, in a directory where both may write.
private struct Shared {
    let path: String

    init() throws { path = try PrivateDirectory("islet-files-test").path }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// A file that must stay as it is.
    func precious() throws -> String {
        let file = file("precious")
        try "precious".write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }

    func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file(name))[.posixPermissions] as? Int
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}

struct `A private directory` {
    @Test func `is closed to others, has a name of its own each time, and goes`() throws {
        let first = try PrivateDirectory("islet-test")
        let second = try PrivateDirectory("islet-test")
        #expect(first.path != second.path)
        var facts = stat()
        #expect(lstat(first.path, &facts) == 0)
        #expect(facts.st_mode & 0o777 == 0o700 && facts.st_uid == geteuid())
        #expect(!first.path.contains("-\(getpid())"))
        first.remove()
        second.remove()
        #expect(lstat(first.path, &facts) != 0)
    }
}

struct `A secret's file` {
    @Test func `can be read by its owner alone, whatever was there and whatever the mask`() throws {
        let shared = try Shared()
        defer { shared.remove() }
        let mask = umask(0)
        defer { umask(mask) }
        _ = FileManager.default.createFile(
            atPath: shared.file("key"), contents: nil, attributes: [.posixPermissions: 0o666])
        try SecretFile.write("secret", to: shared.file("key"))
        #expect(try shared.mode("key") == 0o600)
        #expect(try String(contentsOfFile: shared.file("key"), encoding: .utf8) == "secret")
        #expect(try FileManager.default.contentsOfDirectory(atPath: shared.path) == ["key"])
    }

    /// As a service has them whose package gives its directory to root and the service's group.
    @Test(arguments: [
        (0o600, 0, 0, false), (0o640, 1_000, 1_000, false), (0o640, 0, 1_000, false),
        (0o640, 0, 1_001, false), (0o640, 0, 9, true), (0o640, 1_000, 9, true),
        (0o640, 1_000, 1_001, true), (0o660, 0, 1_000, true), (0o644, 0, 1_000, true),
        (0o604, 1_000, 1_000, true),
    ])
    func `is open when others than its owner and the process's group may read it`(
        mode: Int, owner: Int, group: Int, isOpen: Bool
    ) {
        let groups: [gid_t] = [1_000, 1_001]
        #expect(
            SecretFile.isOpen(facts(mode, owner, group), user: 1_000, group: 1_000, groups: groups)
                == isOpen)
    }

    @Test func `is not open to root because root has given it to a service's group`() {
        #expect(!SecretFile.isOpen(facts(0o640, 0, 9), user: 0, group: 0, groups: [0]))
        #expect(SecretFile.isOpen(facts(0o644, 0, 9), user: 0, group: 0, groups: [0]))
    }

    private func facts(_ mode: Int, _ owner: Int, _ group: Int) -> stat {
        var facts = stat()
        facts.st_mode = S_IFREG | mode_t(mode)
        (facts.st_uid, facts.st_gid) = (uid_t(owner), gid_t(group))
        return facts
    }

    @Test func `replaces a link and does not follow it`() throws {
        let shared = try Shared()
        defer { shared.remove() }
        let precious = try shared.precious()
        #expect(symlink(precious, shared.file("key")) == 0)
        #expect(!SecretFile.isOwn(shared.file("key")))
        try SecretFile.write("secret", to: shared.file("key"))
        #expect(try String(contentsOfFile: precious, encoding: .utf8) == "precious")
        #expect(SecretFile.isOwn(shared.file("key")))
    }
}

struct `A replaced file` {
    @Test func `is whole when two write it at once`() async throws {
        let shared = try Shared()
        defer { shared.remove() }
        let path = shared.file("folds")
        try await ReplacedFile.write(path) { (file) async throws(CommandFailure) in
            file.write(Data("fir".utf8))
            try await ReplacedFile.write(path) { (other) throws(CommandFailure) in
                other.write(Data("second".utf8))
            }
            file.write(Data("st".utf8))
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "first")
        #expect(try FileManager.default.contentsOfDirectory(atPath: shared.path) == ["folds"])
    }

    @Test func `can be read by its owner alone`() async throws {
        let shared = try Shared()
        defer { shared.remove() }
        try await ReplacedFile.write(shared.file("folds")) { (file) throws(CommandFailure) in
            file.write(Data("folds".utf8))
        }
        #expect(try String(contentsOfFile: shared.file("folds"), encoding: .utf8) == "folds")
        // It may say what is personal, as exports do.
        var facts = stat()
        #expect(stat(shared.file("folds"), &facts) == 0 && facts.st_mode & 0o777 == 0o600)
    }

    @Test func `is named as it was given when it cannot be written`() async throws {
        let shared = try Shared()
        defer { shared.remove() }
        let path = shared.file("nowhere/folds")
        let reason = "\(path) cannot be written: No such file or directory"
        await #expect(throws: CommandFailure.failed("--to: \(reason)")) {
            try await ReplacedFile.write(path, option: "to") { (_) throws(CommandFailure) in }
        }
        #expect(throws: CommandFailure.failed("--credentials-dir: \(reason)")) {
            try SecretFile.write("secret", to: path, option: "credentials-dir")
        }
    }

    @Test func `cannot be begun where there is a file already`() throws {
        let shared = try Shared()
        defer { shared.remove() }
        #expect(symlink(shared.file("nowhere"), shared.file("link")) == 0)
        #expect(throws: CommandFailure.self) { try NewFile.create(shared.file("link")) }
    }
}

struct `A file that is given` {
    @Test func `is named with its option when it cannot be one`() throws {
        let directory = try PrivateDirectory("islet-given-test")
        defer { directory.remove() }
        let file = directory.file("long.pem")
        try SecretFile.write(String(repeating: "a", count: (1 << 20) + 1), to: file)
        #expect(throws: CommandFailure.failed("--tls-key: \(file) is longer than 1 MiB")) {
            _ = try GivenFile.text(file, option: "tls-key")
        }
        #expect(throws: CommandFailure.failed("\(file) is longer than 2 KiB; cut it")) {
            _ = try GivenFile.read(file, bytesMax: 2_048, remedy: "cut it")
        }
        #expect(try GivenFile.read(file, bytesMax: nil).count == (1 << 20) + 1)
        #expect(throws: CommandFailure.failed("\(file).not does not exist")) {
            _ = try GivenFile.read("\(file).not")
        }
        let path = directory.path
        #expect(throws: CommandFailure.failed("\(path) cannot be read: Is a directory")) {
            _ = try GivenFile.read(path)
        }
    }

    /// Root may read everything, so that only the sentence can be looked at.
    @Test func `is said to be empty, or not to be readable by whom`() throws {
        let directory = try PrivateDirectory("islet-given-test")
        defer { directory.remove() }
        let file = directory.file("master.key")
        try SecretFile.write("", to: file)
        #expect(throws: CommandFailure.failed("--master-key-file: \(file) is empty")) {
            _ = try GivenFile.text(file, option: "master-key-file")
        }
        let closed = GivenFile.unreadable("--master-key-file: \(file)", EACCES).text
        let user = try #require(getpwuid(geteuid())).pointee.pw_name
        let name = String(cString: try #require(user))
        #expect(closed.hasPrefix("--master-key-file: \(file) may not be read by the user \(name)"))
        #expect(closed.contains("chown"))
    }

    @Test func `may be a pipe that fills little by little`() async throws {
        let pipe = Pipe()
        let writing = Task {
            for _ in 0..<3 {
                try pipe.fileHandleForWriting.write(contentsOf: Data("some".utf8))
                try await Task.sleep(for: .milliseconds(20))
            }
            try pipe.fileHandleForWriting.close()
        }
        let path = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
        #expect(try GivenFile.text(path, option: "key-file") == "somesomesome")
        try await writing.value
    }
}
