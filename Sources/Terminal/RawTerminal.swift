import EventLoop
import Foundation
import Glibc

/// The terminal without lines and echo, on a screen of its own, for as long as this object lives.
// @unchecked: immutable.
public final class RawTerminal: @unchecked Sendable {
    public enum Input: Hashable, Sendable {
        case text(String)
        case left, right, up, down
        case enter, erase, escape
        /// Ctrl-C, or a signal that asks the program to end.
        case interrupt
        /// Ctrl-D, or the terminal is gone.
        case endOfInput
        case resized
    }

    private let before: termios
    private let loop = EventLoop(name: "terminal")

    /// Nil when standard input is no terminal.
    public init?() {
        guard var settings = Self.settings() else { return nil }
        before = settings
        cfmakeraw(&settings)
        tcsetattr(0, TCSAFLUSH, &settings)
        // Another screen, without a cursor.
        Console.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J")
    }

    /// Without `termios()`: the C importer files that under libuv's module.
    static func settings() -> termios? {
        withUnsafeTemporaryAllocation(of: termios.self, capacity: 1) { room in
            guard let place = room.baseAddress, tcgetattr(0, place) == 0 else { return nil }
            return place.move()
        }
    }

    deinit {
        Console.write("\u{1B}[?25h\u{1B}[?1049l")
        var settings = before
        tcsetattr(0, TCSAFLUSH, &settings)
    }

    /// As it is now; that of a usual terminal when it does not say.
    public var size: (columns: Int, rows: Int) {
        var window = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(window.ws_col), Int(window.ws_row))
    }

    /// Keys and signals, as they come.
    public func inputs() -> AsyncStream<Input> {
        AsyncStream { continuation in
            let signals = Signals.stream([SIGINT, SIGTERM, SIGHUP, SIGWINCH])
            let listening = Task {
                for await signal in signals {
                    continuation.yield(signal == SIGWINCH ? .resized : .interrupt)
                }
            }
            let loop = loop
            loop.run {
                let watch = try? loop.watch(fileDescriptor: 0) { _, _ in
                    var bytes = [UInt8](repeating: 0, count: 256)
                    let count = read(0, &bytes, bytes.count)
                    guard count > 0 else {
                        continuation.yield(.endOfInput)
                        return
                    }
                    for key in Self.keys(Array(bytes[..<count])) { continuation.yield(key) }
                }
                // Without a descriptor to spare no key is heard, and that is the end.
                guard let watch else { return _ = continuation.yield(.interrupt) }
                watch.interest(readable: true, writable: false)
            }
            continuation.onTermination = { _ in
                listening.cancel()
                Task { await loop.shutdown() }
            }
        }
    }

    /// What a terminal sends for keys. An arrow's bytes come at one stroke.
    public static func keys(_ bytes: [UInt8]) -> [Input] {
        var keys: [Input] = []
        var rest = bytes[...]
        while let byte = rest.first {
            let arrows: [UInt8: Input] = [0x41: .up, 0x42: .down, 0x43: .right, 0x44: .left]
            if byte == 0x1B, rest.count >= 3,
                rest[rest.startIndex + 1] == 0x5B
                    || rest[rest.startIndex + 1] == 0x4F
            {
                if let arrow = arrows[rest[rest.startIndex + 2]] { keys.append(arrow) }
                rest = rest.dropFirst(3)
                continue
            }
            rest = rest.dropFirst()
            switch byte {
            case 0x03: keys.append(.interrupt)
            case 0x04: keys.append(.endOfInput)
            case 0x0A, 0x0D: keys.append(.enter)
            case 0x08, 0x7F: keys.append(.erase)
            case 0x1B: keys.append(.escape)
            case 0x20..<0x7F: keys.append(.text(String(UnicodeScalar(byte))))
            default: break
            }
        }
        return keys
    }
}
