import Domain
import EventStore

/// The chunks of one Server-Sent Events response, made only when the connection asks for the next.
///
/// A slow reader therefore costs no memory: it gets the newest states when it comes back, and
/// changes that it was too slow for are skipped.
actor ChangeFeed {
    private enum Stage {
        case opening
        /// Sends what passes the filter already.
        case listing
        case catchingUp, live
    }

    private let store: EventStore
    private let environment: APIEnvironment
    private let hub: ChangeHub
    private let caller: Caller
    private let reservation: ReservedShares.Reservation
    private let filter: ActivityFilter
    private let messages: ServerSentEvent
    /// Sends each change as a row of a list, not as a whole activity.
    private let sendsRows: Bool
    /// Up to where all was sent, or looked through.
    private var place: ActivityChange.Place
    /// What the reader would name in `Last-Event-ID`.
    private var sentPosition: Int64
    /// The reader has nothing yet, so that what passes the filter can be looked up.
    private let isNew: Bool
    /// How far the log was folded when the listing began. Every change since then is sent after the
    /// listing, also if it was listed.
    private var listedFrom: Int64?
    private var stage = Stage.opening
    /// All that there was when the reader came was read from the database.
    private var isFollowing = false
    /// The hub's count when all changes were read last; nil when it is time to read.
    private var readAtCount: UInt64?
    /// The generation of the snapshots that were sent; nil before any was looked at.
    private var generation: Int32?
    private var lastChunkAt = ContinuousClock.now

    init(
        store: EventStore, environment: APIEnvironment, hub: ChangeHub, caller: Caller,
        reservation: ReservedShares.Reservation, filter: ActivityFilter, after position: Int64,
        sendsRows: Bool
    ) {
        self.store = store
        self.environment = environment
        self.hub = hub
        self.caller = caller
        self.reservation = reservation
        self.filter = filter
        self.sendsRows = sendsRows
        messages = ServerSentEvent(log: environment.log)
        // What was noticed at this very position may be sent twice, rather than never.
        place = ActivityChange.Place(position: position)
        sentPosition = position
        isNew = position == 0
    }

    /// - Returns: nil when the stream ends: the client is gone, the key revoked, the store broken.
    func next() async -> [UInt8]? {
        let chunk = await nextChunk()
        lastChunkAt = .now
        return chunk
    }

    private func nextChunk() async -> [UInt8]? {
        if stage == .opening {
            stage = isNew && filter != ActivityFilter() ? .listing : .catchingUp
            return ServerSentEvent.opening
        }
        while !Task.isCancelled, await caller.isStillGranted() {
            let seen = await hub.count(of: caller.tenant)
            var isBehind = false
            do {
                if seen != readAtCount {
                    switch try await stage == .listing ? listed() : changes(seen) {
                    case .chunk(let chunk): return chunk
                    case .unrelated: isBehind = true
                    case .none: break
                    }
                }
            } catch {
                // A reader that left in the middle of a question is no fault of the store.
                guard !Task.isCancelled else { return nil }
                environment.report(error, "reading changes for a stream")
                guard error.isTransient else { return nil }
            }
            let idleSeconds = (ContinuousClock.now - lastChunkAt) / .seconds(1)
            let patience = environment.limits.streamHeartbeatSeconds - idleSeconds
            guard patience > 0 else { return heartbeat() }
            guard !isBehind else { continue }
            await hub.wait(for: caller.tenant, beyond: seen, atMost: patience)
            readAtCount = nil
        }
        return nil
    }

    /// Large changes are written a few at a time, so that others find the loop free in between.
    private var pageRows: Int {
        caller.largeWork.ledgers.has(caller.tenant)
            ? Limits.largeStreamPageRows : Limits.streamPageRows
    }

    private enum Changes {
        case chunk([UInt8])
        /// There were some, of which none concerns the reader.
        case unrelated
        case none
    }

    /// What changed since the last call.
    /// - Parameter seen: the hub's count before it.
    private func changes(_ seen: UInt64) async throws(EventStoreError) -> Changes {
        let limit = pageRows
        let page = try await store.projections.changes(
            caller.tenant, after: place, limit, isFollowing: isFollowing)
        caller.largeWork.ledgers.note(
            page.all.compactMap(\.decision), of: caller.tenant)
        if page.looked < limit { isFollowing = true }
        var chunk = changedOver(to: page.generation)
        guard let end = page.end else {
            if stage != .live {
                stage = .live
                sentPosition = place.position
                chunk += messages.ready(
                    at: place.position, generation: page.generation, now: environment.now())
            }
            return chunk.isEmpty ? .none : .chunk(chunk)
        }
        if stage == .live, page.looked < limit { readAtCount = seen }
        let now = environment.now()
        for change in page.all {
            let id = change.place.position
            guard let snapshot = change.snapshot else {
                chunk += messages.gone(change.activityID, id: id)
                continue
            }
            switch filter.fit(snapshot, noticedAt: change.noticedAt, at: now) {
            case .fits:
                chunk += message(snapshot, change.decision, id)
            case .fitsNoMore: chunk += messages.removed(snapshot, id: id)
            case .unrelated: break
            }
        }
        place = end
        guard !chunk.isEmpty else { return .unrelated }
        sentPosition = place.position
        return .chunk(chunk)
    }

    /// What a reader was sent may be otherwise in another generation, whatever its place.
    private func changedOver(to new: Int32) -> [UInt8] {
        defer { generation = new }
        guard let generation, generation != new else { return [] }
        return messages.generation(new, id: place.position)
    }

    /// The next of those that pass the filter at the beginning. Their ids stay behind `listedFrom`,
    /// so that a reader that comes back from the middle of the listing gets what has left
    /// meanwhile.
    private func listed() async throws(EventStoreError) -> Changes {
        var filter = filter
        filter.updatedSince = filter.updatedSince ?? Moment(unixSeconds: 0)
        let page = try await store.reads.list(
            caller.tenant, filter, .change(place), pageRows, environment.now())
        let from = listedFrom ?? page.freshness.position
        listedFrom = from
        var chunk: [UInt8] = []
        let decisions = try await store.projections.decided(caller.tenant, page.snapshots)
        caller.largeWork.ledgers.note(decisions.values, of: caller.tenant)
        for (snapshot, listed) in zip(page.snapshots, page.places) {
            guard case .change(let listed) = listed else { continue }
            let id = min(listed.position, from)
            chunk += message(snapshot, decisions[snapshot.activityID], id)
            sentPosition = id
        }
        if case .change(let next)? = page.next {
            place = next
        } else {
            place = ActivityChange.Place(position: from)
            stage = .catchingUp
        }
        return chunk.isEmpty ? .unrelated : .chunk(chunk)
    }

    private func message(_ snapshot: Snapshot, _ decision: LedgerRow?, _ id: Int64) -> [UInt8] {
        sendsRows
            ? messages.row(snapshot, decision: decision, id: id, now: environment.now())
            : messages.activity(snapshot, decision: decision, id: id)
    }

    /// Says that the stream is alive. A reader that comes back need not begin before what did not
    /// concern it.
    private func heartbeat() -> [UInt8] {
        guard sentPosition != place.position, stage != .listing else {
            return ServerSentEvent.heartbeat
        }
        sentPosition = place.position
        return messages.mark(place.position)
    }
}
