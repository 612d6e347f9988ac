import Archive
import EventLoop
import Foundation
import Glibc

/// One line on standard error that is drawn again and again. Nothing at all when standard error
/// is no terminal.
final class ProgressBar: Sendable {
    private struct State {
        var drawnAt: ContinuousClock.Instant?
        var drawn: ArchiveProgress?
    }

    private let state = Lock(State())
    private let isShown: Bool

    init(isShown: Bool = isatty(2) == 1) { self.isShown = isShown }

    /// Draws at most ten times a second.
    func show(_ progress: ArchiveProgress) {
        guard isShown else { return }
        let now = ContinuousClock.now
        let isDue = state.withLock { state in
            let isNew = state.drawn?.step != progress.step || progress.done == progress.total
            if !isNew, let at = state.drawnAt, now - at < .milliseconds(100) { return false }
            state.drawnAt = now
            state.drawn = progress
            return true
        }
        if isDue { write("\r\u{1B}[K" + Self.line(progress)) }
    }

    func end() {
        if isShown, state.withLock({ $0.drawn != nil }) { write("\r\u{1B}[K") }
    }

    /// For example `exporting  [#########...........]  45 %  4500000 of 10000000`.
    static func line(_ progress: ArchiveProgress) -> String {
        let total = max(progress.total, 1)
        let done = min(max(progress.done, 0), total)
        let cells = 30
        let filled = Int(Double(done) / Double(total) * Double(cells))
        let bar =
            String(repeating: "#", count: filled) + String(repeating: ".", count: cells - filled)
        let percent = Int(Double(done) / Double(total) * 100)
        return "\(name(of: progress.step))  [\(bar)]  \(percent) %  \(done) of \(total)"
    }

    private static func name(of step: ArchiveProgress.Step) -> String {
        switch step {
        case .checking: "checking "
        case .exporting: "exporting"
        case .importing: "importing"
        }
    }

    private func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
