import Foundation
import Glibc

/// The terminal of somebody who can press a key: one that gives keys as they come, and shows none.
// @unchecked: immutable.
public final class KeyTerminal: @unchecked Sendable {
    private let before: termios

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
        var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        // Nobody feels a wait of this much.
        while poll(&input, 1, 0) < 1, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(50))
        }
    }
}
