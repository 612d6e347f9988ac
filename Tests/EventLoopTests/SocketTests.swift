import EventLoop
import Glibc
import TestSupport
import Testing

@Suite struct SocketTests {
    /// A listener whose sockets `configure` sets up, and a client connected to it.
    private func connected(
        _ loop: EventLoop,
        server configure: @escaping @Sendable (Socket) -> Void,
        client use: @escaping @Sendable (Socket) -> Void
    ) async throws {
        let port = try await loop.submit { () throws(NetworkError) -> Int in
            try loop.listen(host: "127.0.0.1", port: 0, onAccept: configure).port
        }
        loop.run {
            loop.connect(host: "localhost", port: port, timeout: .seconds(5)) { result in
                switch result {
                case .success(let socket): use(socket)
                case .failure(let error): Issue.record("no connection: \(error)")
                }
            }
        }
    }

    @Test func `what is written arrives, and the peer's end is reported once as nil`() async throws
    {
        let loop = EventLoop(name: "echo")
        let heard = Lock<[UInt8]>([])
        let ends = Lock<[NetworkError?]>([])
        await confirmation { isOver in
            let (stream, end) = AsyncStream<Void>.makeStream()
            try? await connected(loop) { server in
                server.onBytes = { bytes in
                    server.write(Array(bytes))
                    server.shutdownThenClose()
                }
            } client: { client in
                #expect(client.remoteAddress == "127.0.0.1")
                client.onBytes = { bytes in heard.withLock { $0 += bytes } }
                client.onClose = { error in
                    ends.withLock { $0.append(error) }
                    client.close()
                }
                client.onReleased = {
                    isOver()
                    end.finish()
                }
                client.write(Array("hello, ".utf8))
                client.write { $0 += Array("socket".utf8) }
            }
            for await _ in stream {}
        }
        #expect(String(decoding: heard.value, as: UTF8.self) == "hello, socket")
        #expect(ends.value == [nil])
        await loop.shutdown()
    }

    @Test func `two who send a lot are read in turns`() async throws {
        let (reading, sending) = (EventLoop(name: "reading"), EventLoop(name: "sending"))
        let (accepted, order) = (Lock(0), Lock<[Int]>([]))
        let (stream, end) = AsyncStream<Void>.makeStream()
        let port = try await reading.submit { () throws(NetworkError) -> Int in
            try reading.listen(host: "127.0.0.1", port: 0) { socket in
                let number = accepted.withLock {
                    $0 += 1
                    return $0
                }
                socket.onBytes = { _ in
                    order.withLock { $0.append(number) }
                    if order.value.count == 8 { end.finish() }
                }
                guard number == 2 else { return }
                // By the time that they are read both have filled the kernel's buffers.
                reading.run {
                    usleep(200_000)
                    order.withLock { $0 = [] }
                }
            }.port
        }
        for _ in 1...2 {
            sending.run {
                sending.connect(host: "127.0.0.1", port: port, timeout: .seconds(5)) { result in
                    guard case .success(let socket) = result else {
                        Issue.record("no connection")
                        return end.finish()
                    }
                    socket.write([UInt8](repeating: 1, count: 8 << 20))
                }
            }
        }
        for await _ in stream {}
        let first = order.withLock { Array($0.prefix(4)) }
        #expect(first == [1, 2, 1, 2] || first == [2, 1, 2, 1])
        await sending.shutdown()
        await reading.shutdown()
    }

    @Test func `sixteen megabytes to a slow reader arrive whole, in order, before the end`()
        async throws
    {
        let loop = EventLoop(name: "large")
        let total = 16 * 1024 * 1024
        let tally = Lock((count: 0, isInOrder: true, pauses: 0, drained: 0))
        let (stream, end) = AsyncStream<Void>.makeStream()
        try await connected(loop) { server in
            server.onDrained = { tally.withLock { $0.drained += 1 } }
            for start in stride(from: 0, to: total, by: 1 << 20) {
                server.write((start..<(start + 1 << 20)).map { UInt8(truncatingIfNeeded: $0 >> 3) })
            }
            #expect(server.unsentBytes == total)
            server.shutdownThenClose()
        } client: { client in
            client.onBytes = { bytes in
                tally.withLock { tally in
                    for byte in bytes {
                        if byte != UInt8(truncatingIfNeeded: tally.count >> 3) {
                            tally.isInOrder = false
                        }
                        tally.count += 1
                    }
                    tally.pauses += 1
                }
                client.pauseReading()
                loop.schedule(after: .zero) { client.resumeReading() }
            }
            client.onClose = { _ in
                client.close()
                end.finish()
            }
        }
        for await _ in stream {}
        #expect(tally.value.count == total)
        #expect(tally.value.isInOrder)
        #expect(tally.value.drained > 0)
        await loop.shutdown()
    }

    private final class Unchanged: SocketFilter {
        func open(
            _ wire: UnsafeRawBufferPointer, _ onPlain: (UnsafeRawBufferPointer) -> Void
        ) -> SocketFilterVerdict {
            onPlain(wire)
            return .open
        }

        func seal(_ plain: UnsafeRawBufferPointer, into wire: inout [UInt8]) { wire += plain }

        func close(into wire: inout [UInt8]) {}
    }

    @Test func `nothing is drained while a filter has something to seal`() async throws {
        let loop = EventLoop(name: "sealing")
        let large = [UInt8](repeating: 7, count: 16 << 20)
        let left = Lock<[Int]>([])
        let (stream, end) = AsyncStream<Void>.makeStream()
        try await connected(loop) { server in
            server.use(Unchanged())
            server.onDrained = {
                left.withLock { $0.append(server.unsentBytes) }
                if server.unsentBytes == 0 { end.finish() }
            }
            server.write(large)
            // While the first is under way.
            loop.schedule(after: .milliseconds(20)) { server.write(large) }
        } client: { client in
            client.pauseReading()
            loop.schedule(after: .milliseconds(60)) { client.resumeReading() }
        }
        for await _ in stream {}
        #expect(left.value.allSatisfy { $0 == 0 })
        await loop.shutdown()
    }

    @Test func `a reset is reported as an error and the socket is closed`() async throws {
        let loop = EventLoop(name: "reset")
        let ends = Lock<[NetworkError?]>([])
        let (stream, end) = AsyncStream<Void>.makeStream()
        try await connected(loop) { server in
            server.onClose = { error in ends.withLock { $0.append(error) } }
            server.onReleased = { end.finish() }
            // Unread input at the client when it closes makes its kernel send a reset.
            server.write([1])
        } client: { client in
            client.pauseReading()
            loop.schedule(after: .milliseconds(20)) { client.close() }
        }
        for await _ in stream {}
        #expect(ends.value == [.reset])
        await loop.shutdown()
    }

    @Test func `connecting to a closed port is refused`() async throws {
        let loop = EventLoop(name: "refused")
        let error: NetworkError? = await withCheckedContinuation { continuation in
            loop.run {
                guard
                    let listener = try? loop.listen(host: "127.0.0.1", port: 0, onAccept: { _ in })
                else { return continuation.resume(returning: nil) }
                listener.close()
                loop.connect(host: "127.0.0.1", port: listener.port, timeout: .seconds(5)) {
                    switch $0 {
                    case .success: continuation.resume(returning: nil)
                    case .failure(let error): continuation.resume(returning: error)
                    }
                }
            }
        }
        #expect(error == .refused)
        await loop.shutdown()
    }

    @Test func `an unknown host and a silent one end in an error within the timeout`() async throws
    {
        let loop = EventLoop(name: "nowhere")
        for host in ["no-such-host.invalid", "192.0.2.1"] {
            let start = ContinuousClock.now
            let error: NetworkError? = await withCheckedContinuation { continuation in
                loop.run {
                    loop.connect(host: host, port: 9, timeout: .milliseconds(300)) {
                        switch $0 {
                        case .success: continuation.resume(returning: nil)
                        case .failure(let error): continuation.resume(returning: error)
                        }
                    }
                }
            }
            #expect(error != nil)
            #expect(.now - start < .seconds(3))
        }
        await loop.shutdown()
    }

    @Test func `a port in use cannot be listened on`() async throws {
        let loop = EventLoop(name: "in use")
        await #expect(throws: NetworkError.addressInUse) {
            try await loop.submit { () throws(NetworkError) in
                let port = try loop.listen(host: "127.0.0.1", port: 0) { _ in }.port
                _ = try loop.listen(host: "127.0.0.1", port: port) { _ in }
            }
        }
        await loop.shutdown()
    }

    @Test func `a watched descriptor tells when it can be read and is silent after cancel`() async {
        let loop = EventLoop(name: "watch")
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        let count = Lock(0)
        await withCheckedContinuation { continuation in
            loop.run {
                var watch: DescriptorWatch?
                watch = try? loop.watch(fileDescriptor: reader) { readable, writable in
                    #expect(readable && !writable)
                    count.withLock { $0 += 1 }
                    watch?.cancel()
                    watch = nil
                    loop.schedule(after: .milliseconds(10)) { continuation.resume() }
                }
                watch?.interest(readable: true, writable: false)
                loop.schedule(after: .milliseconds(5)) { write(writer, "x", 1) }
            }
        }
        #expect(count.value == 1)
        await loop.shutdown()
        close(reader)
        close(writer)
    }
}
