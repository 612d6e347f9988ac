import Foundation
import Glibc
import TestSupport
import Testing

@testable import EventLoop

/// A client of the kernel's, whom the loop does not know.
/// - Returns: its descriptor, and whether it got in.
private func knock(_ address: SocketAddress) -> (descriptor: Int32, isIn: Bool) {
    let client = socket(address.family, Int32(SOCK_STREAM.rawValue), 0)
    let code = address.withUnsafe { connect(client, $0, address.byteCount) }
    return (client, code == 0)
}

@Suite(.timeLimit(.minutes(1)))
struct `A listener that ends` {
    @Test func `takes in who has connected already, and then no one`() async throws {
        let loop = EventLoop(name: "last call")
        let accepted = Lock(0)
        let clients = Lock<[Int32]>([])
        // All in one turn of the loop, so that it cannot accept in between.
        let (before, after) = try await loop.submit {
            () throws(NetworkError) -> ([Bool], Bool) in
            let listener = try loop.listen(host: "127.0.0.1", port: 0) { _ in
                accepted.withLock { $0 += 1 }
            }
            guard let address = SocketAddress(numericHost: "127.0.0.1", port: listener.port)
            else { throw .hostUnknown }
            let first = (0..<3).map { _ in knock(address) }
            #expect(accepted.value == 0)
            listener.acceptAllThenClose()
            let late = knock(address)
            clients.withLock { $0 = first.map(\.descriptor) + [late.descriptor] }
            return (first.map(\.isIn), late.isIn)
        }
        #expect(before == [true, true, true])
        #expect(!after)
        #expect(accepted.value == 3)
        await loop.shutdown()
        for client in clients.value { close(client) }
    }

    @Test func `leaves connections that it has accepted alone`() async throws {
        let loop = EventLoop(name: "living")
        let heard = Lock("")
        let (stream, end) = AsyncStream<Void>.makeStream()
        let client = Lock<Int32>(-1)
        try await loop.submit { () throws(NetworkError) in
            var listener: Listener?
            listener = try loop.listen(host: "127.0.0.1", port: 0) { server in
                listener?.close()
                listener = nil
                server.onBytes = { bytes in
                    let text = String(decoding: bytes, as: UTF8.self)
                    heard.withLock { $0 += text }
                    end.finish()
                }
                _ = write(client.value, "still here", 10)
            }
            guard let port = listener?.port,
                let address = SocketAddress(numericHost: "127.0.0.1", port: port)
            else { throw .hostUnknown }
            let descriptor = knock(address).descriptor
            client.withLock { $0 = descriptor }
        }
        for await _ in stream {}
        #expect(heard.value == "still here")
        await loop.shutdown()
        close(client.value)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `A listener on a path` {
    /// A path where nothing is yet, in a directory of its own.
    private static func path() throws -> String {
        let folder = NSTemporaryDirectory() + "islet-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder + "/s"
    }

    private static func remove(_ path: String) {
        try? FileManager.default.removeItem(
            atPath: URL(filePath: path).deletingLastPathComponent().path)
    }

    @Test func `lets in whom its file lets, knows them as local, and takes its file away`()
        async throws
    {
        let loop = EventLoop(name: "path")
        let path = try Self.path()
        defer { Self.remove(path) }
        let seen = Lock<[String]>([])
        let client = Lock<Int32>(-1)
        let (stream, end) = AsyncStream<Void>.makeStream()
        try await loop.submit { () throws(NetworkError) in
            var listener: Listener?
            listener = try loop.listen(host: "unix:\(path)", port: 0, socketMode: 0o640) { socket in
                seen.withLock { $0.append("\(socket.isLocal) '\(socket.remoteAddress)'") }
                listener?.close()
                listener = nil
                end.finish()
            }
            #expect(listener?.port == 0)
            var facts = stat()
            lstat(path, &facts)
            #expect(facts.st_mode & 0o777 == 0o640)
            guard let address = SocketAddress(unixPath: path) else { throw .socketPathUnusable }
            let descriptor = knock(address).descriptor
            client.withLock { $0 = descriptor }
        }
        for await _ in stream {}
        #expect(seen.value == ["true ''"])
        #expect(!FileManager.default.fileExists(atPath: path))
        await loop.shutdown()
        close(client.value)
    }

    @Test func `does not take away what somebody else has put in its place`() async throws {
        let loop = EventLoop(name: "other's")
        let path = try Self.path()
        defer { Self.remove(path) }
        try await loop.submit { () throws in
            let listener = try loop.listen(host: "unix:\(path)", port: 0) { _ in }
            unlink(path)
            try "other".write(toFile: path, atomically: false, encoding: .utf8)
            listener.close()
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "other")
        await loop.shutdown()
    }

    @Test func `takes the place of a dead one, and of nothing else`() async throws {
        let loop = EventLoop(name: "dead")
        let path = try Self.path()
        defer { Self.remove(path) }
        let address = try #require(SocketAddress(unixPath: path))
        // As a process leaves it that was killed.
        let dead = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let bound = address.withUnsafe { bind(dead, $0, address.byteCount) }
        try #require(bound == 0)
        close(dead)
        func failure(_ host: String) async -> NetworkError? {
            await loop.submit { () -> NetworkError? in
                do throws(NetworkError) {
                    try loop.listen(host: host, port: 0) { _ in }.close()
                    return nil
                } catch { return error }
            }
        }
        #expect(await failure("unix:\(path)") == nil)
        try await loop.submit { () throws(NetworkError) in
            _ = try loop.listen(host: "unix:\(path)", port: 0) { _ in }
        }
        #expect(await failure("unix:\(path)") == .socketFileInUse)
        #expect(await failure("unix:") == .socketPathUnusable)
        #expect(await failure("unix:\(String(repeating: "a", count: 108))") == .socketPathUnusable)
        let taken = path + "-taken"
        try "text".write(toFile: taken, atomically: false, encoding: .utf8)
        #expect(await failure("unix:\(taken)") == .socketPathTaken)
        #expect(try String(contentsOfFile: taken, encoding: .utf8) == "text")
        await loop.shutdown()
    }
}
