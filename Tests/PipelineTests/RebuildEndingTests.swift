import Domain
import EventLoop
import EventStore
import Pipeline
import Projections
import TestSupport
import Testing

struct `A rebuild that ends early` {
    @Test func `waits for what it writes before it gives its lock back`() async throws {
        let (session, work) = try await Self.begin(isPaused: false)
        // Meanwhile it reads what it cannot.
        try await waitUntil { session.steps.value.contains("failed") }
        try await Task.sleep(for: .milliseconds(100))
        #expect(session.steps.value == ["read", "read", "failed"])
        await session.gate.open()
        await #expect(throws: EventStoreError.self) { try await work.value }
        #expect(session.steps.value == ["read", "read", "failed", "written", "released"])
    }

    @Test func `waits for the planner's look before it gives its lock back`() async throws {
        let (session, work) = try await Self.begin(isPaused: true)
        // Meanwhile it hears that it is paused.
        try await waitUntil { session.steps.value.count { $0 == "written" } == 2 }
        try await Task.sleep(for: .milliseconds(100))
        let steps = ["read", "read", "written", "written"]
        #expect(session.steps.value == steps)
        await session.gate.open()
        #expect(try await work.value == .paused)
        #expect(session.steps.value == steps + ["analyzed", "released"])
    }

    /// - Returns: a rebuild that waits at the session's gate, and what comes of it.
    private static func begin(
        isPaused: Bool
    ) async throws -> (LongSession, Task<Rebuilder.End, any Error>) {
        let shop = try await Shop()
        try await shop.place()
        await shop.fold()
        let versions = ActivityCatalog.standard.foldVersions
        _ = try await shop.store.rebuilds.begin(shop.tenant, "a test", versions)
        let base = try #require(try await shop.store.rebuilds.take(shop.tenant, versions))
        let session = LongSession(base: base, isPaused: isPaused)
        let work = Task { try await Rebuilder(store: shop.store) { _ in }.work(session) { _ in } }
        await session.gate.arrivals(1)
        return (session, work)
    }
}

/// Of a log so long that two parts are written. Either its third page cannot be read while the
/// first part waits at the gate, or it is paused while the planner's look does.
private struct LongSession: RebuildSession {
    let base: any RebuildSession
    let isPaused: Bool
    let gate = Gate()
    let steps = Lock<[String]>([])

    var progress: RebuildProgress { base.progress }
    var skipped: Set<Int64> { base.skipped }

    func read(_ after: Int64, _ limit: Int) async throws(EventStoreError) -> any LogPage {
        guard after < 200_000 else {
            if isPaused { return EmptyPage(lastPosition: nil) }
            steps.withLock { $0.append("failed") }
            throw .unavailable(detail: "a test")
        }
        steps.withLock { $0.append("read") }
        return EmptyPage(lastPosition: after + 100_000)
    }

    func snapshots(_ activities: [ActivityID]) async throws(EventStoreError) -> [Snapshot] {
        try await base.snapshots(activities)
    }

    func write(_ part: RebuiltPart, _ upTo: Int64) async throws(EventStoreError) -> Bool {
        if !isPaused { await gate.pass() }
        steps.withLock { $0.append("written") }
        return !isPaused || upTo < 200_000
    }

    func analyze() async throws(EventStoreError) {
        await gate.pass()
        steps.withLock { $0.append("analyzed") }
    }

    func lockLive() async throws(EventStoreError) { try await base.lockLive() }

    func switchOver(_ refold: @Sendable (RefoldInput) -> FoldResult?) async throws(EventStoreError)
        -> Bool
    { try await base.switchOver(refold) }

    func release() async {
        steps.withLock { $0.append("released") }
        await base.release()
    }
}

private struct EmptyPage: LogPage {
    let lastPosition: Int64?
    let indices = 0..<0

    func fingerprint(_ index: Int) -> UInt64 { 0 }

    func isEvent(_ index: Int, of activity: ActivityID) -> Bool { false }

    func place(_ index: Int) throws(EventStoreError) -> EventPlace { throw Self.isEmpty }

    func activity(_ index: Int) throws(EventStoreError) -> ActivityID { throw Self.isEmpty }

    func borrowedEvent(
        _ index: Int, at place: EventPlace, of activity: ActivityID
    ) throws(EventStoreError) -> BorrowedEvent { throw Self.isEmpty }

    private static let isEmpty = EventStoreError.unavailable(detail: "the page is empty")
}
