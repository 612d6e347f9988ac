import EventLoop
import Glibc
import TestSupport
import Testing

/// The two ends of a new pipe.
private func makePipe() -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0)
    return (ends[0], ends[1])
}

/// Both can be read and written.
private func makeSocketPair() -> (own: Int32, peer: Int32) {
    var ends: [Int32] = [0, 0]
    precondition(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    return (ends[0], ends[1])
}

struct `Watching a descriptor` {
    @Test func `tells when there is something to read`() async throws {
        let loop = EventLoop(name: "watch")
        let (stream, end) = AsyncStream<Bool>.makeStream()
        let pipe = makePipe()
        try await loop.submit {
            let watch = try loop.watch(fileDescriptor: pipe.reading) { readable, _ in
                end.yield(readable)
                end.finish()
            }
            watch.interest(readable: true, writable: false)
        }
        _ = write(pipe.writing, "x", 1)
        var heard: [Bool] = []
        for await readable in stream { heard.append(readable) }
        #expect(heard == [true])
        await loop.shutdown()
        close(pipe.reading)
        close(pipe.writing)
    }

    @Test func `says nothing that nobody wants to know, and that it can be written at once`()
        async throws
    {
        let loop = EventLoop(name: "interest")
        let (stream, end) = AsyncStream<String>.makeStream()
        let ends = makeSocketPair()
        // Something to read is there all the while.
        _ = write(ends.peer, "x", 1)
        try await loop.submit { () throws(NetworkError) in
            let watch = try loop.watch(fileDescriptor: ends.own) { readable, writable in
                end.yield("readable \(readable), writable \(writable)")
                end.finish()
            }
            watch.interest(readable: true, writable: true)
            watch.interest(readable: false, writable: false)
            loop.schedule(after: .milliseconds(5)) {
                end.yield("nothing so far")
                watch.interest(readable: false, writable: true)
            }
        }
        var heard: [String] = []
        for await line in stream { heard.append(line) }
        #expect(heard == ["nothing so far", "readable false, writable true"])
        await loop.shutdown()
        close(ends.own)
        close(ends.peer)
    }

    @Test func `is refused for a number that is no descriptor`() async {
        let loop = EventLoop(name: "none")
        await #expect(throws: NetworkError.system(code: -EBADF)) {
            try await loop.submit { () throws(NetworkError) in
                _ = try loop.watch(fileDescriptor: -1) { _, _ in }
            }
        }
        await loop.shutdown()
    }

    @Test func `that was closed under it leaves the next owner of the number alone`() async throws {
        let loop = EventLoop(name: "reuse")
        let (stream, end) = AsyncStream<Bool>.makeStream()
        let first = makePipe()
        try await loop.submit {
            let old = try loop.watch(fileDescriptor: first.reading) { _, _ in }
            old.interest(readable: true, writable: false)
            // As libpq does when its connection breaks.
            close(first.reading)
            let second = makePipe()
            dup2(second.reading, first.reading)
            let new = try loop.watch(fileDescriptor: first.reading) { readable, _ in
                end.yield(readable)
                end.finish()
            }
            new.interest(readable: true, writable: false)
            old.cancel()
            _ = write(second.writing, "x", 1)
        }
        var heard: [Bool] = []
        for await readable in stream { heard.append(readable) }
        #expect(heard == [true])
        await loop.shutdown()
    }

    /// A peer that goes before it has read everything leaves an error besides its last words.
    @Test func `goes on after an error, until its end is found`() async throws {
        let loop = EventLoop(name: "error")
        let (stream, end) = AsyncStream<Int>.makeStream()
        let (mine, peer) = makeSocketPair()
        _ = write(mine, "never read", 10)
        _ = write(peer, "last words", 10)
        close(peer)
        try await loop.submit {
            let watch = try loop.watch(fileDescriptor: mine) { _, _ in
                var bytes = [UInt8](repeating: 0, count: 100)
                let count = read(mine, &bytes, bytes.count)
                end.yield(count)
                if count <= 0 { end.finish() }
            }
            watch.interest(readable: true, writable: false)
        }
        var heard: [Int] = []
        for await count in stream { heard.append(count) }
        #expect(heard.first == 10)
        #expect(heard.count > 1)
        await loop.shutdown()
        close(mine)
    }
}
