import EventLoop
import Foundation
import Glibc

/// The terminal of somebody who can press a key: one that gives keys as they come, and shows none.
// @unchecked: immutable.
public final class KeyTerminal: @unchecked Sendable {
    private let before: termios
    private let loop = EventLoop(name: "keys")

    /// Nil where nobody can: without a terminal, and behind one that another program has.
    public init?() {
        guard isatty(1) == 1, tcgetpgrp(0) == getpgrp(), var settings = RawTerminal.settings()
        else {
            return nil
        }
        before = settings
        // Ctrl-C is a key like any other then, and ends the wait too.
        cfmakeraw(&settings)
        // Lines that are printed meanwhile begin on the left.
        settings.c_oflag = before.c_oflag
        // What was typed before is no answer.
        tcsetattr(0, TCSAFLUSH, &settings)
    }

    deinit {
        var settings = before
        tcsetattr(0, TCSAFLUSH, &settings)
    }

    /// Returns when one is pressed, the terminal is gone, or the task is cancelled.
    public func keyPressed() async {
        let (keys, sink) = AsyncStream<Never>.makeStream()
        let loop = loop
        loop.run {
            let watch = try? loop.watch(fileDescriptor: 0) { _, _ in sink.finish() }
            // Without a descriptor to spare no key is heard, and that is the end.
            guard let watch else { return sink.finish() }
            watch.interest(readable: true, writable: false)
        }
        for await _ in keys {}
        await loop.shutdown()
    }
}
