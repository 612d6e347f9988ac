import Domain
import EventLoop
import EventStore
import Testing

@testable import Archive

/// Something else happens while its second page is read.
private struct InterruptedLog: EventLog {
    let log: any EventLog
    let meanwhile: @Sendable () async -> Void

    func append(_: TenantID, _: [NewEvent], isAtomic: Bool) -> [AppendResult] { [] }

    func select(
        _ tenant: TenantID, _ filter: EventFilter, _ positions: ClosedRange<Int64>, _ limit: Int
    ) async throws(EventStoreError) -> [RecordedEvent] {
        if positions.lowerBound > 1 { await meanwhile() }
        return try await log.select(tenant, filter, positions, limit)
    }

    func readActivity(_: TenantID, _: ActivityID, _: Int64, _: Int) -> [RecordedEvent] { [] }

    func head(_ tenant: TenantID) async throws(EventStoreError) -> Int64 {
        try await log.head(tenant)
    }
}

struct `Exports to one place` {
    private let place = Place()

    @Test(arguments: ["export", "export.ndjson"])
    func `at once are refused but for the first, which is whole`(name: String) async throws {
        let layout = place.layout(name)
        let events = MemoryLog(count: Limits.pageEvents + 1)
        let refusals = Lock<[ArchiveError]>([])
        let log = InterruptedLog(log: events.log()) {
            do throws(ArchiveError) { try await events.export(to: layout) } catch {
                refusals.withLock { $0.append(error) }
            }
        }
        let summary = try await Export.run(
            log, tenant: MemoryLog.tenant, selection: Selection(), until: nil, to: layout,
            report: { _ in })
        let path = layout.partialPath(of: layout.segmentName(1))
        #expect(
            refusals.withLock { $0 } == [
                .occupied("another export is writing \(path): let it end, and run this again")
            ])
        #expect(summary.events == events.events.count)
        #expect(try await Receiver().take(layout).recorded == events.events.count)
        #expect(try await events.export(to: layout).segmentsKept == 1)
    }

    @Test func `go on where a crash has left the half of a file`() async throws {
        let layout = place.layout()
        let path = layout.partialPath(of: layout.manifestName)
        try await ArchiveFiles.with(layout) { (files) async throws(ArchiveError) in
            try await files.prepare()
            try FileDescriptor.create(path).write([1, 2, 3])
        }
        #expect(try await MemoryLog(count: 10).export(to: layout).events == 10)
    }
}
