import Domain
import EventLoop

/// Activities of which this node has just decided something that is to be sent at once, or has seen
/// that while it looked for others, so that claiming them does not begin with looking for them.
///
/// A hint and nothing more: what is forgotten here is found by those who look.
final class FreshDecisions: Sendable {
    private struct State {
        var isWanted = false
        /// Each once, the oldest first.
        var keys: [ClaimKey] = []
        var known: Set<ClaimKey> = []
    }

    private let state = Lock(State())

    /// Of a batch that was committed.
    func note(_ decisions: [Decision], of tenant: TenantID) {
        state.withLock { state in
            // Nothing is kept before somebody sends on this node.
            guard state.isWanted else { return }
            for decision in decisions where decision.isToBeSentAtOnce {
                let key = ClaimKey(tenant: tenant, activity: decision.activityID)
                if state.known.insert(key).inserted { state.keys.append(key) }
            }
            // Who sends has fallen behind, and finds more by looking.
            if state.keys.count > Limits.freshDecisionsMax { (state.keys, state.known) = ([], []) }
        }
    }

    /// As many as there is room for.
    func note(_ keys: [ClaimKey]) {
        state.withLock { state in
            guard state.isWanted else { return }
            for key in keys.prefix(Limits.freshDecisionsMax - state.keys.count)
            where state.known.insert(key).inserted { state.keys.append(key) }
        }
    }

    var hasSome: Bool { state.withLock { !$0.keys.isEmpty } }

    /// What need not be looked for.
    var keys: [ClaimKey] { state.withLock { $0.keys } }

    /// Takes the oldest that may be claimed; the others stay for later.
    func take(_ limit: Int, where isFree: (ClaimKey) -> Bool) -> [ClaimKey] {
        state.withLock { state in
            state.isWanted = true
            var taken: [ClaimKey] = []
            state.keys.removeAll { key in
                guard taken.count < limit, isFree(key) else { return false }
                taken.append(key)
                return true
            }
            state.known.subtract(taken)
            return taken
        }
    }

    /// Somebody claims them who has looked for them. To be called before what there is to send is
    /// read, as more may be decided from then on.
    func forget(_ keys: [ClaimKey]) {
        state.withLock { state in
            let gone = state.known.intersection(keys)
            guard !gone.isEmpty else { return }
            state.keys.removeAll { gone.contains($0) }
            state.known.subtract(gone)
        }
    }
}

extension Decision {
    fileprivate var isToBeSentAtOnce: Bool {
        verdict.pushes && order?.sendAfter.map { $0 <= decidedAt } ?? true
    }
}
