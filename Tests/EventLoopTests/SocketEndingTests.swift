import EventLoop
import TestSupport
import Testing

/// A listener whose first socket `configure` sets up, and a client connected to it, on one loop.
private func connected(
    _ loop: EventLoop, server configure: @escaping @Sendable (Socket) -> Void,
    client use: @escaping @Sendable (Socket) -> Void
) async throws {
    let port = try await loop.submit { () throws(NetworkError) -> Int in
        try loop.listen(host: "127.0.0.1", port: 0, onAccept: configure).port
    }
    loop.run {
        loop.connect(host: "127.0.0.1", port: port, timeout: .seconds(5)) { result in
            switch result {
            case .success(let socket): use(socket)
            case .failure(let error): Issue.record("no connection: \(error)")
            }
        }
    }
}

/// What was heard until the peer's end, after which the socket is closed.
private func hear(
    _ socket: Socket, _ heard: Lock<String>, _ atEnd: @escaping () -> Void = {}
) {
    socket.onBytes = { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        heard.withLock { $0 += text }
    }
    socket.onClose = { _ in
        socket.close()
        atEnd()
    }
}

/// Turns capitals into small letters on their way out. The last byte of what comes says what
/// becomes of the connection.
private final class Scripted: SocketFilter {
    func open(
        _ wire: UnsafeRawBufferPointer, _ onPlain: (UnsafeRawBufferPointer) -> Void
    ) -> SocketFilterVerdict {
        onPlain(wire)
        switch wire.last {
        case UInt8(ascii: "."): return .endedByPeer
        case UInt8(ascii: "!"): return .failed
        default: return .open
        }
    }

    func seal(_ plain: UnsafeRawBufferPointer, into wire: inout [UInt8]) {
        wire += plain.map { $0 | 0x20 }
    }

    func close(into wire: inout [UInt8]) { wire += Array("<end>".utf8) }
}

@Suite(.timeLimit(.minutes(1)))
struct `A connection behind a filter` {
    @Test func `may still be answered on when the peer has ended properly`() async throws {
        let loop = EventLoop(name: "ended")
        let (heard, ends) = (Lock(""), Lock<[NetworkError?]>([]))
        let (stream, end) = AsyncStream<Void>.makeStream()
        try await connected(loop) { server in
            server.use(Scripted())
            server.onClose = { error in
                ends.withLock { $0.append(error) }
                server.write(Array("ANSWER".utf8))
                server.shutdownThenClose()
            }
        } client: { client in
            hear(client, heard) { end.finish() }
            client.write(Array("bye.".utf8))
        }
        for await _ in stream {}
        #expect(heard.value == "answer<end>")
        #expect(ends.value == [nil])
        await loop.shutdown()
    }

    @Test func `tells the peer what the filter has to say when it fails, and ends`() async throws {
        let loop = EventLoop(name: "failed")
        let (heard, ends) = (Lock(""), Lock<[NetworkError?]>([]))
        let (stream, end) = AsyncStream<Void>.makeStream()
        try await connected(loop) { server in
            server.use(Scripted())
            server.onClose = { error in ends.withLock { $0.append(error) } }
            server.onReleased = { end.finish() }
        } client: { client in
            hear(client, heard)
            client.write(Array("junk!".utf8))
        }
        for await _ in stream {}
        #expect(heard.value == "<end>")
        #expect(ends.value == [.reset])
        await loop.shutdown()
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `A socket that ends` {
    @Test func `sends what is unsent, throws away what comes, and takes nothing more`()
        async throws
    {
        let loop = EventLoop(name: "ending")
        let (atClient, atServer) = (Lock(""), Lock(""))
        let (stream, end) = AsyncStream<Void>.makeStream()
        try await connected(loop) { server in
            hear(server, atServer)
            server.onReleased = { end.finish() }
            server.write(Array("last words".utf8))
            server.shutdownThenClose()
            server.write(Array("after them".utf8))
        } client: { client in
            hear(client, atClient)
            client.write(Array("too late".utf8))
        }
        for await _ in stream {}
        #expect(atClient.value == "last words")
        #expect(atServer.value == "")
        await loop.shutdown()
    }

    @Test func `at once loses what is unsent, and says only that it is released`() async throws {
        let loop = EventLoop(name: "closing")
        let heard = Lock("")
        let said = Lock<[String]>([])
        let (stream, end) = AsyncStream<Void>.makeStream()
        try await connected(loop) { server in
            server.onClose = { _ in said.withLock { $0.append("closed") } }
            server.onDrained = { said.withLock { $0.append("drained") } }
            server.onReleased = { said.withLock { $0.append("released") } }
            server.write([UInt8](repeating: 120, count: 1_000))
            #expect(server.unsentBytes == 1_000)
            server.close()
            said.withLock { $0.append("\(server.unsentBytes) unsent") }
            server.close()
            server.write(Array("more".utf8))
            server.shutdownThenClose()
            #expect(server.remoteAddress == "")
            #expect(server.countTaken() == 0)
            #expect(!server.hasUnread)
        } client: { client in
            hear(client, heard) { end.finish() }
        }
        for await _ in stream {}
        await loop.shutdown()
        #expect(said.value == ["released", "0 unsent"])
        #expect(heard.value == "")
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `What a peer has sent` {
    @Test func `waits while reading is paused, and is known to be there`() async throws {
        let loop = EventLoop(name: "paused")
        let heard = Lock("")
        let (stream, end) = AsyncStream<Void>.makeStream()
        try await connected(loop) { server in
            func look() {
                guard server.hasUnread else {
                    loop.schedule(after: .milliseconds(1)) { look() }
                    return
                }
                #expect(heard.value == "")
                server.resumeReading()
            }
            server.onBytes = { bytes in
                let text = String(decoding: bytes, as: UTF8.self)
                heard.withLock { $0 += text }
                #expect(!server.hasUnread)
                end.finish()
            }
            server.pauseReading()
            look()
        } client: { client in
            client.write(Array("x".utf8))
        }
        for await _ in stream {}
        #expect(heard.value == "x")
        await loop.shutdown()
    }

    @Test func `comes in pieces no larger than its reader wants`() async throws {
        let loop = EventLoop(name: "pieces")
        let sizes = Lock<[Int]>([])
        let (stream, end) = AsyncStream<Void>.makeStream()
        try await connected(loop) { server in
            server.readBytesMax = 1_000
            server.onBytes = { bytes in
                let count = bytes.count
                let sum = sizes.withLock { sizes in
                    sizes.append(count)
                    return sizes.reduce(0, +)
                }
                if sum >= 10_000 { end.finish() }
            }
        } client: { client in
            client.write([UInt8](repeating: 1, count: 10_000))
        }
        for await _ in stream {}
        let found = sizes.value
        #expect(found.reduce(0, +) == 10_000)
        #expect((found.max() ?? 0) <= 1_000)
        await loop.shutdown()
    }

    @Test func `is counted to the byte as its peer's system takes it`() async throws {
        let loop = EventLoop(name: "taken")
        let count = 300_000
        let taken = Lock(0)
        let (stream, end) = AsyncStream<Void>.makeStream()
        try await connected(loop) { server in
            server.onBytes = { _ in }
        } client: { client in
            func look() {
                let more = client.countTaken()
                let sum = taken.withLock { taken in
                    taken += more
                    return taken
                }
                guard sum < count else { return end.finish() }
                loop.schedule(after: .milliseconds(1)) { look() }
            }
            client.write([UInt8](repeating: 1, count: count))
            look()
        }
        for await _ in stream {}
        #expect(taken.value == count)
        await loop.shutdown()
    }
}
