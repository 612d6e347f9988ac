import Domain
public import EventStore
import Foundation
import Locks
import Projections

/// Builds new generations of snapshots beside the live ones: when asked to, and where an older
/// version of a kind's fold has written what stands.
///
/// Nothing is decided and nothing is pushed: what phones were sent stays as it is on record. Only
/// parked events that can be folded now are retried, as an operator would. Reads and folding go on
/// meanwhile; the new generation takes the live one's place at one stroke.
public struct Rebuilder: Sendable {
    public enum End: Hashable, Sendable {
        /// The new generation is live.
        case finished
        case paused
        /// Somebody gave it up.
        case cancelled
    }

    private let store: EventStore
    private let report: @Sendable (Diagnostic) -> Void

    /// What an operator should know.
    public enum Diagnostic: Sendable {
        case began(RebuildProgress)
        case ended(RebuildProgress, End)
        case failed(EventStoreError)
    }

    public init(store: EventStore, report: @escaping @Sendable (Diagnostic) -> Void) {
        self.store = store
        self.report = report
    }

    /// Works on whatever there is to rebuild until its task is cancelled. Of several tenants' the
    /// one that has stood still longest comes next, and after its turn goes on later.
    public func run() async {
        var isFirst = true
        while !Task.isCancelled {
            do throws(EventStoreError) {
                if isFirst { try await beginOutdated() }
                isFirst = false
                while let session = try await store.rebuilds.take(
                    nil, ActivityCatalog.standard.foldVersions)
                {
                    report(.began(session.progress))
                    let end = try await work(session, inTurns: true) { _ in }
                    report(.ended(session.progress, end))
                }
            } catch {
                if !Task.isCancelled { report(.failed(error)) }
            }
            try? await Task.sleep(for: .seconds(Limits.rebuildPollSeconds))
        }
    }

    /// Begins a rebuild for each tenant with snapshots of an older fold.
    public func beginOutdated() async throws(EventStoreError) {
        let versions = ActivityCatalog.standard.foldVersions
        for tenant in try await store.rebuilds.outdated(versions) {
            _ = try await store.rebuilds.begin(tenant, "a fold has changed", versions)
        }
    }

    /// Works on one rebuild to its end, or until it is paused or the task is cancelled.
    /// - Parameters:
    ///   - inTurns: whether to pause when others wait.
    ///   - onProgress: called with the position after each stretch.
    public func work(
        _ session: any RebuildSession, inTurns: Bool = false, onProgress: @Sendable (Int64) -> Void
    ) async throws(EventStoreError) -> End {
        var state = State(session)
        // What it still does must not be without the rebuild's lock, however it ends.
        let end = await Result { () async throws(EventStoreError) in
            try await fold(session, &state, inTurns: inTurns, onProgress)
        }
        await state.outlast()
        await session.release()
        return try end.get()
    }

    private func fold(
        _ session: any RebuildSession, _ state: inout State, inTurns: Bool,
        _ onProgress: @Sendable (Int64) -> Void
    ) async throws(EventStoreError) -> End {
        // What this version can fold is taken off the list first, so that it gets its decisions.
        _ = try await Repair(store, tenant: state.tenant).retry(nil)
        if inTurns { state.turnEndsAt = .now + .seconds(Limits.rebuildTurnSeconds) }
        guard try await catchUp(session, &state, onProgress) else {
            return try await stopped(session)
        }
        if state.isTurnOver {
            return try await state.finishWriting() ? .paused : try await stopped(session)
        }
        state.turnEndsAt = nil
        try await analyze(session, &state)
        guard try await state.finishWriting() else { return try await stopped(session) }
        if Task.isCancelled { return .paused }
        // The rest while the live generation stands still: it is as much as came meanwhile.
        try await session.lockLive()
        guard try await catchUp(session, &state, onProgress), try await state.finishWriting(),
            try await session.switchOver(Unparking.fold)
        else { return try await stopped(session) }
        return .finished
    }

    /// Lets the planner know of the new generation, while its last part is written if there are
    /// others to judge it by.
    private func analyze(
        _ session: any RebuildSession, _ state: inout State
    ) async throws(EventStoreError) {
        if let analyzing = state.analyzing {
            try await analyzing.value.get()
            return
        }
        if state.partsBegun < 2, try await !state.finishWriting() { return }
        try await session.analyze()
    }

    /// Looks at most of a long log's snapshots while the last of it is folded, which is enough for
    /// a planner: at the end everybody would wait for it.
    private func analyzeAhead(_ session: any RebuildSession, _ state: inout State) {
        let target = session.progress.target
        guard state.analyzing == nil, state.partsBegun >= 2,
            state.position >= target - target / 8
        else { return }
        state.analyzing = Task {
            await Result { () async throws(EventStoreError) in try await session.analyze() }
        }
    }

    /// Folds up to where the live generation is, and begins to write the last part of that.
    /// - Returns: false when the rebuild was paused or cancelled.
    private func catchUp(
        _ session: any RebuildSession, _ state: inout State, _ onProgress: @Sendable (Int64) -> Void
    ) async throws(EventStoreError) -> Bool {
        var page = try await Self.page(session, after: state.position).get()
        while let position = page.events.lastPosition, !Task.isCancelled {
            if try await isTurnOver(state) {
                state.isTurnOver = true
                break
            }
            if state.mayBeStored {
                guard try await state.finishWriting() else { return false }
                try await load(page, session, state.shards)
            }
            try await bookUp(&state, to: position)
            state.position = position
            // The next ones come while these are folded.
            async let next = Self.page(session, after: position)
            let activities = try await fold(page, state)
            page = try await next.get()
            onProgress(position)
            let isFull = activities >= Limits.rebuildActivitiesMax
            if isFull || position - state.written >= Limits.rebuildFlushEvents {
                guard try await write(session, &state, forgetting: isFull) else { return false }
                analyzeAhead(session, &state)
            }
        }
        return try await write(session, &state, forgetting: false)
    }

    /// Only where somebody else waits for a turn. At least one part is written in each.
    private func isTurnOver(_ state: State) async throws(EventStoreError) -> Bool {
        guard let end = state.turnEndsAt, end <= .now, state.partsBegun > 0 else { return false }
        return try await store.rebuilds.list().contains {
            $0.tenant.id != state.tenant && !$0.isPaused
        }
    }

    /// - Returns: how many activities are in memory now.
    private func fold(
        _ page: RebuildPage, _ state: State
    ) async throws(EventStoreError) -> Int {
        let book = state.book
        let counts = await inParallel(state.shards) { shard in
            await Result { () async throws(EventStoreError) in
                try await shard.fold(page, under: book)
            }
        }
        var sum = 0
        for count in counts { sum += try count.get() }
        return sum
    }

    /// Makes sure that the book has every policy that is in force up to there, from the state's
    /// position on. One that is put while the log ends at a position is for later ones only.
    private func bookUp(
        _ state: inout State, to position: Int64
    ) async throws(EventStoreError) {
        guard position > state.bookedUpTo else { return }
        state.bookedUpTo = try await store.log.head(state.tenant)
        let stored = try await store.policies.inForce(
            state.tenant, state.position + 1...max(state.bookedUpTo, position))
        do { state.book = try ActivityCatalog.standard.book(stored) } catch {
            throw .schema(
                detail: "a newer version of Islet has stored policies: bring this node up to date")
        }
    }

    private struct State {
        let tenant: TenantID
        var book = PolicyBook.builtIn
        /// The last position for which the book is known to be complete.
        var bookedUpTo: Int64 = 0
        /// One for each core. An activity is always in the same one.
        let shards: [RebuildShard]
        var position: Int64
        var written: Int64
        var partsBegun = 0
        /// Nil without a turn that ends.
        var turnEndsAt: ContinuousClock.Instant?
        var isTurnOver = false
        var analyzing: Task<Result<Void, EventStoreError>, Never>?
        /// Activities that are not in memory may have been written before.
        var mayBeStored: Bool
        /// The last part, on its way into the database while the next events are folded.
        var writing: Task<Result<Bool, EventStoreError>, Never>?

        init(_ session: any RebuildSession) {
            let count = min(ProcessInfo.processInfo.activeProcessorCount, Limits.rebuildShardsMax)
            shards = (0..<count).map {
                RebuildShard(skipped: session.skipped, share: (index: $0, count: count))
            }
            tenant = session.progress.tenant.id
            position = session.progress.position
            written = position
            mayBeStored = position > 0
        }

        /// - Returns: false when the rebuild was paused or cancelled.
        mutating func finishWriting() async throws(EventStoreError) -> Bool {
            guard let writing else { return true }
            self.writing = nil
            return try await writing.value.get()
        }

        /// Waits for what is under way, however it ends.
        func outlast() async {
            _ = await writing?.value
            _ = await analyzing?.value
        }
    }

    private static func page(
        _ session: any RebuildSession, after position: Int64
    ) async -> Result<RebuildPage, EventStoreError> {
        await Result { () async throws(EventStoreError) in
            try RebuildPage(try await session.read(position, Limits.rebuildPageEvents))
        }
    }

    private func load(
        _ page: RebuildPage, _ session: any RebuildSession, _ shards: [RebuildShard]
    ) async throws(EventStoreError) {
        for shard in shards {
            let missing = await shard.missing(page)
            guard !missing.isEmpty else { continue }
            await shard.load(try await session.snapshots(missing))
        }
    }

    /// Begins to write what has changed; one part at a time.
    private func write(
        _ session: any RebuildSession, _ state: inout State, forgetting: Bool
    ) async throws(EventStoreError) -> Bool {
        guard try await state.finishWriting() else { return false }
        let parts = await inParallel(state.shards) { await $0.takePart(forgetting: forgetting) }
        let part = RebuiltPart(
            snapshots: parts.flatMap(\.snapshots), parked: parts.flatMap(\.parked))
        state.mayBeStored = state.mayBeStored || forgetting
        state.written = state.position
        state.partsBegun += 1
        let position = state.position
        state.writing = Task {
            await Result { () async throws(EventStoreError) in
                try await session.write(part, position)
            }
        }
        return true
    }

    private func stopped(_ session: any RebuildSession) async throws(EventStoreError) -> End {
        let tenant = session.progress.tenant.id
        let stands = try await store.rebuilds.list().contains { $0.tenant.id == tenant }
        return stands ? .paused : .cancelled
    }
}
