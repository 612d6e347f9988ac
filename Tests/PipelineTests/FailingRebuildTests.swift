import Domain
import EventLoop
import EventStore
import Pipeline
import Projections
import TestSupport
import Testing

struct `A rebuild that fails` {
    @Test func `gives its lock back when what it writes is written`() async throws {
        let shop = try await Shop()
        try await shop.place()
        await shop.fold()
        let versions = ActivityCatalog.standard.foldVersions
        _ = try await shop.store.rebuilds.begin(shop.tenant, "a test", versions)
        let base = try #require(try await shop.store.rebuilds.take(shop.tenant, versions))
        let session = FailingSession(base: base)
        let work = Task { try await Rebuilder(store: shop.store) { _ in }.work(session) { _ in } }
        await session.gate.arrivals(1)
        // Meanwhile it reads what it cannot.
        try await waitUntil { session.steps.value.contains("failed") }
        try await Task.sleep(for: .milliseconds(100))
        #expect(session.steps.value == ["read", "read", "failed"])
        await session.gate.open()
        await #expect(throws: EventStoreError.self) { try await work.value }
        #expect(session.steps.value == ["read", "read", "failed", "written", "released"])
    }
}

/// Of a log so long that a part is written before the third page, which cannot be read.
private struct FailingSession: RebuildSession {
    let base: any RebuildSession
    let gate = Gate()
    let steps = Lock<[String]>([])

    var progress: RebuildProgress { base.progress }
    var skipped: Set<Int64> { base.skipped }

    func read(_ after: Int64, _ limit: Int) async throws(EventStoreError) -> any LogPage {
        guard after < 200_000 else {
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
        await gate.pass()
        steps.withLock { $0.append("written") }
        return true
    }

    func analyze() async throws(EventStoreError) { try await base.analyze() }

    func lockLive() async throws(EventStoreError) { try await base.lockLive() }

    func switchOver(_ refold: @Sendable (RefoldInput) -> FoldOutcome?) async throws(EventStoreError)
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

    func eventInPlace(
        _ index: Int, at place: EventPlace, of activity: ActivityID
    ) throws(EventStoreError) -> EventInPlace { throw Self.isEmpty }

    private static let isEmpty = EventStoreError.unavailable(detail: "the page is empty")
}
