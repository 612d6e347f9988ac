import EventStore
import Synchronization

/// Whether somebody is to look for what is due, and not only at what this node has just decided.
final class WantedLook: Sendable {
    /// Since when; nil while nobody wants it.
    private let since = Mutex<ContinuousClock.Instant?>(nil)

    func want() { since.withLock { $0 = $0 ?? .now } }

    func take() -> Bool {
        since.withLock { since in
            defer { since = nil }
            return since != nil
        }
    }

    /// Only what has been wanted for a while.
    func takeOverdue() -> Bool {
        let limit = Duration.milliseconds(Limits.lookDelayMillisMax)
        return since.withLock { since in
            guard let start = since, ContinuousClock.now - start > limit else { return false }
            since = nil
            return true
        }
    }
}

extension StoreNews {
    /// Of something that need not be looked for.
    var isDecided: Bool {
        if case .decided = self { true } else { false }
    }
}
