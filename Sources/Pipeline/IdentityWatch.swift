public import EventStore

/// Looks again and again whether the database still has the log that this node works on, and
/// whether anything may be sent from it.
public struct IdentityWatch: Sendable {
    public enum Diagnostic: Hashable, Sendable {
        case store(EventStoreError)
        /// Postgres was promoted, and all that anybody here knows of is there.
        case promoted
        /// The log lacks what this node has acknowledged. Every node is held from now on.
        case setBack
        /// No synchronous standby confirms what is committed.
        case unconfirmed(EventStoreError)
    }

    private let store: EventStore
    private let memory: LogMemory
    private let report: @Sendable (Diagnostic) -> Void

    /// - Parameter memory: the one that the store keeps what it acknowledges in. It outlives this.
    public init(
        store: EventStore, memory: LogMemory, report: @escaping @Sendable (Diagnostic) -> Void
    ) {
        self.store = store
        self.memory = memory
        self.report = report
    }

    /// What a look comes to.
    public func status() async throws(EventStoreError) -> LogStatus {
        let identity = store.identity
        let known = memory.recall()
        let sighting = try await identity.look()
        let asked = memory.tenantsInQuestion(after: sighting, recalling: known)
        let heads = asked.isEmpty ? [:] : try await identity.heads(asked)
        var status = LogStatus(epoch: sighting.epoch)
        switch memory.judge(sighting, heads: heads, recalling: known) {
        case .sound: break
        case .held(let why): status.hold = why
        case .promoted:
            try await identity.vouch(sighting.epoch, in: sighting.run)
            report(.promoted)
        case .setBack:
            try await identity.hold(.setBack, in: sighting.run)
            report(.setBack)
            status.hold = .setBack
        }
        return status
    }

    /// Returns when the status is another one, or the task is cancelled.
    public func wait(whileLogIs known: LogStatus) async {
        await withDiscardingTaskGroup { group in
            if known.hold == nil {
                // Apart, for while a standby is away a commit takes its time.
                group.addTask { await leaveSigns(known.epoch) }
            }
            while !Task.isCancelled {
                var pauseMillis = Limits.identityLookMillis
                do throws(EventStoreError) {
                    if try await status() != known { break }
                } catch {
                    if !Task.isCancelled { report(.store(error)) }
                    pauseMillis = Limits.identityRetryMillis
                }
                try? await Task.sleep(for: .milliseconds(pauseMillis))
            }
            group.cancelAll()
        }
    }

    private func leaveSigns(_ epoch: Int64) async {
        while !Task.isCancelled {
            // One that fails is none: the looks say what is wrong, unless only commits suffer. A
            // server that no look has seen gets none.
            do throws(EventStoreError) {
                if let run = memory.recall().run,
                    let beat = try await store.identity.beat(epoch, in: run)
                {
                    memory.note(beat: beat, in: epoch)
                }
            } catch { if error.isStandbyAway { report(.unconfirmed(error)) } }
            try? await Task.sleep(for: .milliseconds(Int64(Limits.beatSeconds * 1000)))
        }
    }
}
