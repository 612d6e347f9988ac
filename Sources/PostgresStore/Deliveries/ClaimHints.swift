import Domain
import EventLoop
import EventStore

/// Activities of which this node has just decided something that is to be sent at once, or has seen
/// that while it looked for others, so that claiming them does not begin with looking for them.
///
/// A hint and nothing more: what is forgotten here is found by those who look.
final class ClaimHints: Sendable {
    private struct State {
        /// Since the first `take`.
        var isWanted = false
        /// Each once, a tenant's oldest first.
        var keys: [TenantID: [ClaimKey]] = [:]
        /// Tenants with keys, the next one first.
        var turns: [TenantID] = []
        var known: Set<ClaimKey> = []

        mutating func add(_ key: ClaimKey) {
            guard known.insert(key).inserted else { return }
            if keys[key.tenant] == nil { turns.append(key.tenant) }
            keys[key.tenant, default: []].append(key)
        }

        /// - Parameter gone: all of them known. They stand in front, or nearly: those behind them
        ///   are not looked at, however many they are.
        mutating func remove(_ gone: Set<ClaimKey>) {
            known.subtract(gone)
            for (tenant, taken) in Dictionary(grouping: gone, by: \.tenant) {
                var line = keys.removeValue(forKey: tenant) ?? []
                var (end, left) = (0, taken.count)
                while left > 0, end < line.count {
                    if gone.contains(line[end]) { left -= 1 }
                    end += 1
                }
                line.replaceSubrange(..<end, with: line[..<end].filter { !gone.contains($0) })
                keys[tenant] = line
                if line.isEmpty { forget(tenant) }
            }
        }

        mutating func forget(_ tenant: TenantID) {
            known.subtract(keys.removeValue(forKey: tenant) ?? [])
            turns.removeAll { $0 == tenant }
        }
    }

    private let state = Lock(State())

    /// Notes the decisions of a batch that was committed.
    func note(_ decisions: [Decision], of tenant: TenantID) {
        state.withLock { state in
            // Nothing is kept before somebody sends on this node.
            guard state.isWanted else { return }
            for decision in decisions where decision.isToBeSentAtOnce {
                state.add(ClaimKey(tenant: tenant, activity: decision.activityID))
            }
            // The sender has fallen behind, and finds more by looking: what was decided of the
            // tenant that has most.
            guard state.known.count > Limits.claimHintsMax,
                let most = state.keys.max(by: { $0.value.count < $1.value.count })?.key
            else { return }
            state.forget(most)
        }
    }

    /// Notes as many as there is room for.
    func note(_ keys: [ClaimKey]) {
        state.withLock { state in
            guard state.isWanted else { return }
            let room = max(0, Limits.claimHintsMax - state.known.count)
            for key in keys.prefix(room) { state.add(key) }
        }
    }

    func hasSome(of tenant: TenantID) -> Bool { state.withLock { $0.keys[tenant] != nil } }

    /// What need not be looked for.
    var keys: [ClaimKey] { state.withLock { Array($0.known) } }

    /// Takes the oldest that may be claimed, of each tenant in turn; the others stay for later.
    /// From the first call on, hints are kept.
    func take(_ limit: Int, where isFree: (ClaimKey) -> Bool) -> [ClaimKey] {
        state.withLock { state in
            state.isWanted = true
            guard limit > 0 else { return [] }
            let lines = state.turns.map { tenant in
                Array((state.keys[tenant] ?? []).lazy.filter(isFree).prefix(limit))
            }
            var taken: [ClaimKey] = []
            for place in 0..<(lines.map(\.count).max() ?? 0) where taken.count < limit {
                for line in lines where place < line.count && taken.count < limit {
                    taken.append(line[place])
                }
            }
            // The tenant that came first this time comes last the next.
            if let first = state.turns.first {
                state.turns.removeFirst()
                state.turns.append(first)
            }
            state.remove(Set(taken))
            return taken
        }
    }

    /// Forgets keys that are being claimed after a look. To be called before what there is to send
    /// is read, as more may be decided from then on.
    func forget(_ keys: [ClaimKey]) {
        state.withLock { state in
            let gone = state.known.intersection(keys)
            guard !gone.isEmpty else { return }
            state.remove(gone)
        }
    }
}

extension Decision {
    fileprivate var isToBeSentAtOnce: Bool {
        verdict.pushes && order?.sendAfter.map { $0 <= decidedAt } ?? true
    }
}
