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

struct `Watching a descriptor` {
    @Test func `tells when there is something to read`() async {
        let loop = EventLoop(name: "watch")
        let (stream, end) = AsyncStream<Bool>.makeStream()
        let pipe = makePipe()
        await loop.submit {
            let watch = loop.watch(fileDescriptor: pipe.reading) { readable, _ in
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

    @Test func `that was closed under it leaves the next owner of the number alone`() async {
        let loop = EventLoop(name: "reuse")
        let (stream, end) = AsyncStream<Bool>.makeStream()
        let first = makePipe()
        await loop.submit {
            let old = loop.watch(fileDescriptor: first.reading) { _, _ in }
            old.interest(readable: true, writable: false)
            // As libpq does when its connection breaks.
            close(first.reading)
            let second = makePipe()
            dup2(second.reading, first.reading)
            let new = loop.watch(fileDescriptor: first.reading) { readable, _ in
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
}
