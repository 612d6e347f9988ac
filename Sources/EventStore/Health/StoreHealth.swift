import Locks

/// What became lately of a node's calls of the store, by kind, from whatever thread they are made.
public final class StoreHealth: Sendable {
    private let histories = Lock<[StoreCall: CallHistory]>([:])
    private let refusal = Lock<EventStoreError?>(nil)

    public init() {}

    public func noteProbe(_ call: StoreCall, _ error: EventStoreError?) {
        histories.withLock { $0[call, default: CallHistory()].noteProbe(error, at: .now) }
    }

    /// Forgets how calls ended: what comes next is another store, or calls that are made no
    /// more, whose last failure would stay for ever.
    public func beginAgain() {
        histories.withLock { histories in
            for call in histories.keys { histories[call]?.beginAgain() }
        }
        refusal.withLock { $0 = nil }
    }

    public func history(of call: StoreCall) -> CallHistory {
        histories.withLock { $0[call, default: CallHistory()] }
    }

    /// Why the node is not to be sent what needs such calls; nil when it is.
    public func complaint(about call: StoreCall) -> EventStoreError? {
        history(of: call).complaint(at: .now)
    }

    /// Why a fold was refused, if no events were folded since. That calls work which find nothing
    /// to fold, as probes do, says nothing of it.
    public var foldRefusal: EventStoreError? { refusal.withLock { $0 } }

    /// Some call was carried out within the last seconds.
    public func hasWorked(withinSeconds seconds: Double) -> Bool {
        let since = ContinuousClock.now - .seconds(seconds)
        return histories.withLock { histories in
            histories.values.contains { ($0.lastSuccess ?? since) > since }
        }
    }

    /// Whether the last call of a kind said that a commit had no synchronous standby to wait for.
    public var isStandbyAway: Bool {
        histories.withLock { histories in
            histories.values.contains { $0.lastFailure?.error.isStandbyAway == true }
        }
    }
}

extension StoreHealth: StoreObserver {
    /// One whose caller has gone tells nothing.
    public func ended(_ call: StoreCall, _ error: EventStoreError?) {
        guard error == nil || !Task.isCancelled else { return }
        histories.withLock { $0[call, default: CallHistory()].note(error, at: .now) }
        if call == .fold, let error, CallResult(error) == .refused {
            refusal.withLock { $0 = error }
        }
    }

    public func folded(_ fold: FoldedBatch) { refusal.withLock { $0 = nil } }
}
