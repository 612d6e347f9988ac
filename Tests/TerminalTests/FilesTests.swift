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
    @Test func `is not written through a link that replaces its first half`() async throws {
        let shared = try Shared()
        defer { shared.remove() }
        let precious = try shared.precious()
        #expect(symlink(precious, shared.file("folds.partial")) == 0)
        try await ReplacedFile.write(shared.file("folds")) { (file) throws(CommandFailure) in
            file.write(Data("folds".utf8))
        }
        #expect(try String(contentsOfFile: precious, encoding: .utf8) == "precious")
        #expect(try String(contentsOfFile: shared.file("folds"), encoding: .utf8) == "folds")
        // It may say what is personal, as exports do.
        var facts = stat()
        #expect(stat(shared.file("folds"), &facts) == 0 && facts.st_mode & 0o777 == 0o600)
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
        #expect(throws: CommandFailure.failed("--tls-key: \(file) is longer than 1024 KiB")) {
            _ = try GivenFile.text(file, option: "tls-key")
        }
        #expect(try GivenFile.read(file, bytesMax: nil).count == (1 << 20) + 1)
        #expect(throws: CommandFailure.failed("\(file).not cannot be read, or is empty")) {
            _ = try GivenFile.read("\(file).not")
        }
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
