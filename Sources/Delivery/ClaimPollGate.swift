import EventStore
import Locks

/// Says when to look for all that is due, and not only at what this node has just decided.
final class ClaimPollGate: Sendable {
    private struct State {
        /// Since when a look is requested; nil while nobody requests one.
        var since: ContinuousClock.Instant?
        /// Looking takes as long as there is to look through, and must not take all the time.
        var restsUntil = ContinuousClock.now
        /// Somebody will be woken then.
        var isWakeUpScheduled = false
        var failedAt: ContinuousClock.Instant?
    }

    private let state = Lock(State())

    func requestLook() { state.withLock { $0.since = $0.since ?? .now } }

    func takeLook() -> Bool { take(after: .zero) }

    /// As `takeLook`, once the look has been wanted for a while.
    func takeOverdueLook() -> Bool { take(after: .milliseconds(Limits.lookDelayMillisMax)) }

    private func take(after delay: Duration) -> Bool {
        let now = ContinuousClock.now
        return state.withLock { state in
            guard let since = state.since, now - since >= delay, now >= state.restsUntil else {
                return false
            }
            (state.since, state.isWakeUpScheduled) = (nil, false)
            return true
        }
    }

    /// Time until a requested look may run. Only one caller gets it, and wakes the claim loop then;
    /// nil for the others, and if no look must wait.
    func takeWakeUpDelay() -> Duration? {
        let now = ContinuousClock.now
        return state.withLock { state in
            guard state.since != nil, now < state.restsUntil, !state.isWakeUpScheduled else {
                return nil
            }
            state.isWakeUpScheduled = true
            return state.restsUntil - now
        }
    }

    func looked(since start: ContinuousClock.Instant) {
        let now = ContinuousClock.now
        // A look may have waited for a server that stood still, and have cost nobody anything.
        let rest = min((now - start) * Limits.lookRestFactor, .seconds(Limits.lookRestSecondsMax))
        state.withLock { $0.restsUntil = now + rest }
    }

    /// The database could not say what is due, or give it out.
    func failed() { state.withLock { $0.failedAt = .now } }

    /// Nobody need try again at once.
    var hasJustFailed: Bool {
        let now = ContinuousClock.now
        return state.withLock { state in
            state.failedAt.map { now - $0 < .seconds(Limits.pollSeconds) } ?? false
        }
    }
}

extension StoreNotification {
    /// Whether it is about something that need not be looked for.
    var isDecided: Bool {
        if case .happened(.decided, _) = self { true } else { false }
    }
}
