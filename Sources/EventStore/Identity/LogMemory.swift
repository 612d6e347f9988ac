public import Domain
import Locks

/// What this node knows to be in the log, by which it notices that the log was set back.
///
/// Only what was acknowledged counts: what a synchronous standby has not confirmed may be gone
/// after a failover, and nobody was promised it.
public final class LogMemory: Sendable {
    /// What is known at one instant.
    public struct Recollection: Sendable {
        fileprivate var epoch: Int64?
        fileprivate var beatAt: Moment?
        fileprivate var positions: [TenantID: Int64] = [:]
        /// Postgres' run in which the log was found to be sound.
        public fileprivate(set) var run: String?
    }

    /// What it comes to.
    public enum Judgement: Hashable, Sendable {
        case sound
        case held(LogHold)
        /// Sound, and nobody has said so since the promotion.
        case promoted
        /// To be held from now on, by every node.
        case setBack
    }

    private let state = Lock(Recollection())

    public init() {}

    public func recall() -> Recollection { state.withLock { $0 } }

    /// An append was acknowledged.
    public func note(_ results: [AppendResult], of tenant: TenantID) {
        var last: Int64 = 0
        for case .recorded(let position, _) in results { last = max(last, position) }
        guard last > 0 else { return }
        state.withLock { state in
            if state.positions.count >= Limits.rememberedHeadsMax,
                state.positions[tenant] == nil
            {
                state.positions.removeAll(keepingCapacity: true)
            }
            state.positions[tenant] = max(state.positions[tenant] ?? 0, last)
        }
    }

    /// A sign of life of this node's is durable.
    public func note(beat: Moment, in epoch: Int64) {
        state.withLock { state in
            state.enter(epoch)
            state.beatAt = max(state.beatAt ?? beat, beat)
        }
    }

    /// Whose heads to look at before judging: none while Postgres has run on.
    public func tenantsInQuestion(
        after sighting: LogSighting, recalling known: Recollection
    ) -> [TenantID] {
        guard known.epoch == sighting.epoch, known.run != sighting.run else { return [] }
        return Array(known.positions.keys)
    }

    /// - Parameters:
    ///   - heads: of the tenants in question.
    ///   - before: what was known before the look: it cannot have seen what came later.
    public func judge(
        _ sighting: LogSighting, heads: [TenantID: Int64], recalling before: Recollection
    ) -> Judgement {
        let isOfNow = before.epoch.map { $0 == sighting.epoch } ?? true
        let known = isOfNow ? before : Recollection()
        return state.withLock { state in
            state.enter(sighting.epoch)
            if let hold = sighting.hold, hold != .timeline { return .held(hold) }
            if let beatAt = known.beatAt, sighting.beatAt < beatAt { return .setBack }
            if heads.contains(where: { $0.value < known.positions[$0.key] ?? 0 }) {
                return .setBack
            }
            let isWitness = known.beatAt != nil || !known.positions.isEmpty
            if sighting.hold == .timeline, !isWitness,
                sighting.silenceSeconds > Limits.unwitnessedSilenceSecondsMax
            {
                return .held(.timeline)
            }
            state.run = sighting.run
            return sighting.hold == .timeline ? .promoted : .sound
        }
    }
}

extension LogMemory.Recollection {
    /// What was known of another log says nothing about this one.
    fileprivate mutating func enter(_ epoch: Int64) {
        if let known = self.epoch, known != epoch { self = Self() }
        self.epoch = epoch
    }
}
