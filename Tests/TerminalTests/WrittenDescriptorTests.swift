import Glibc
import Testing

@testable import Terminal

/// A pipe as a supervisor may read it, or not.
private final class Pipe {
    private let reader: Int32
    let writer: Int32

    /// - Parameter isRead: false for one whose reader has gone.
    init(isRead: Bool = true) throws {
        // To write where nobody reads is a signal otherwise, and tests end by that.
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        let code = pipe(&ends)
        try #require(code == 0)
        writer = ends[1]
        reader = isRead ? ends[0] : -1
        if !isRead { close(ends[0]) }
    }

    deinit {
        if reader >= 0 { close(reader) }
        close(writer)
    }

    /// Until it takes no more.
    func fill() {
        let flags = fcntl(writer, F_GETFL)
        _ = fcntl(writer, F_SETFL, flags | O_NONBLOCK)
        let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 4_096)
        while Glibc.write(writer, bytes, bytes.count) > 0 {}
        _ = fcntl(writer, F_SETFL, flags)
    }

    /// All that is in it.
    func read() -> String {
        _ = fcntl(reader, F_SETFL, fcntl(reader, F_GETFL) | O_NONBLOCK)
        var text = ""
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(reader, &bytes, bytes.count)
            guard count > 0 else { return text }
            text += String(decoding: bytes[..<count], as: UTF8.self)
        }
    }
}

struct `What a descriptor does not take` {
    @Test func `is dropped with the reason, and ends nothing`() throws {
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(full >= 0)
        #expect(WrittenDescriptor(full).write("burnt\n") == ENOSPC)
        close(full)
        let onlyRead = open("/dev/null", O_RDONLY | O_CLOEXEC)
        #expect(WrittenDescriptor(onlyRead).write("burnt\n") == EBADF)
        close(onlyRead)
        let pipe = try Pipe(isRead: false)
        #expect(WrittenDescriptor(pipe.writer).write("burnt\n") == EPIPE)
    }

    @Test func `is waited for once, and not again before it takes something`() throws {
        let pipe = try Pipe()
        let descriptor = WrittenDescriptor(pipe.writer)
        #expect(descriptor.write("one\n", waitMillisMax: 100) == nil)
        pipe.fill()
        #expect(descriptor.write("two\n", waitMillisMax: 100) == EAGAIN)
        let start = ContinuousClock.now
        for _ in 0..<20 { #expect(descriptor.write("three\n", waitMillisMax: 1_000) == EAGAIN) }
        // Nor by somebody who would wait for ever.
        #expect(descriptor.write("four\n") == EAGAIN)
        #expect(ContinuousClock.now - start < .seconds(1))
        #expect(pipe.read().hasPrefix("one\nxxx"))
        #expect(descriptor.write("five\n", waitMillisMax: 100) == nil)
        #expect(pipe.read() == "five\n")
    }

    /// By lines of that length its room ends within a line.
    @Test func `is waited for no longer where a terminal that nobody reads has a little room`()
        throws
    {
        var (terminal, line): (Int32, Int32) = (-1, -1)
        let code = openpty(&terminal, &line, nil, nil, nil)
        try #require(code == 0)
        defer {
            close(line)
            close(terminal)
        }
        let descriptor = WrittenDescriptor(line)
        let text = String(repeating: "y", count: 149) + "\n"
        var count = 0
        while count < 10_000, descriptor.write(text, waitMillisMax: 100) == nil { count += 1 }
        #expect((1..<10_000).contains(count))
        #expect(descriptor.write(text) == EAGAIN)
        // The terminal is others' too.
        #expect(fcntl(line, F_GETFL) & O_NONBLOCK == 0)
    }

    /// A counter of the system that is nearly full: it says that it has room, for less.
    @Test func `is waited for no longer where room is promised and nothing is taken`() throws {
        typealias Make = @convention(c) (UInt32, Int32) -> Int32
        let address = try #require(dlsym(nil, "eventfd"))
        let counter = unsafeBitCast(address, to: Make.self)(0, O_NONBLOCK | O_CLOEXEC)
        try #require(counter >= 0)
        defer { close(counter) }
        let descriptor = WrittenDescriptor(counter)
        let half = String(repeating: "~", count: 8)
        #expect(descriptor.write(half) == nil)
        #expect(descriptor.write(half) == nil)
        #expect(descriptor.write(half, waitMillisMax: 50) == EAGAIN)
    }

    @Test func `is the end of a line, after which the next line begins at its left`() throws {
        let pipe = try Pipe()
        let descriptor = WrittenDescriptor(pipe.writer)
        let long = String(repeating: "y", count: 1_048_576)
        #expect(descriptor.write(long + "\n", waitMillisMax: 1) == EAGAIN)
        #expect(pipe.read().wholeMatch(of: /y+/) != nil)
        #expect(descriptor.write("next\n") == nil)
        #expect(descriptor.write("last\n") == nil)
        #expect(pipe.read() == "\nnext\nlast\n")
    }
}

struct `A log whose reader stands still` {
    @Test func `says how many lines are missing once it reads again`() throws {
        let pipe = try Pipe()
        let descriptor = WrittenDescriptor(pipe.writer)
        let log = Log(lowest: .info, format: .journald) {
            descriptor.write($0 + "\n", waitMillisMax: 1) == nil
        }
        log(.info, "before")
        pipe.fill()
        for number in 1...7 { log(.info, "\(number)") }
        #expect(pipe.read().hasPrefix("<6>before\nxxx"))
        log(.info, "after")
        log(.info, "later")
        let notice = "<4>lines of this log are missing here: nothing took them lines=7"
        #expect(pipe.read() == "\(notice)\n<6>after\n<6>later\n")
    }
}
