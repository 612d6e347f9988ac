import EventLoop
import Glibc

/// One line on standard error that is drawn again and again. Nothing at all when standard error
/// is no terminal.
public final class ProgressBar: Sendable {
    private struct State {
        var drawnAt: ContinuousClock.Instant?
        var drawnStep: String?
    }

    private let state = Lock(State())
    private let isShown = isatty(2) == 1

    /// Draws at most ten times a second.
    /// - Parameter step: what is being done, in a word.
    public func show(_ step: String, done: Int64, of total: Int64) {
        guard isShown else { return }
        let now = ContinuousClock.now
        let isDue = state.withLock { state in
            let isNew = state.drawnStep != step || done == total
            if !isNew, let at = state.drawnAt, now - at < .milliseconds(100) { return false }
            (state.drawnAt, state.drawnStep) = (now, step)
            return true
        }
        guard isDue else { return }
        WrittenDescriptor.standardError.write(
            Self.erasure + Self.line(step, done: done, of: total))
        Self.isDrawn.withLock { $0 = true }
    }

    public func end() { Self.erase() }

    /// Before something else is said: it would stand behind the bar, on the same line.
    static func erase() {
        let wasDrawn = isDrawn.withLock { isDrawn in
            defer { isDrawn = false }
            return isDrawn
        }
        if wasDrawn { WrittenDescriptor.standardError.write(erasure) }
    }

    /// Whether any stands on the terminal's last line.
    private static let isDrawn = Lock(false)
    private static let erasure = "\r\u{1B}[K"

    /// For example `exporting  [#########...........]  45 %  4500000 of 10000000`.
    public static func line(_ step: String, done: Int64, of total: Int64) -> String {
        let total = max(total, 1)
        let done = min(max(done, 0), total)
        let cells = 30
        let filled = Int(Double(done) / Double(total) * Double(cells))
        let bar =
            String(repeating: "#", count: filled) + String(repeating: ".", count: cells - filled)
        let percent = Int(Double(done) / Double(total) * 100)
        return "\(step)  [\(bar)]  \(percent) %  \(done) of \(total)"
    }
}
