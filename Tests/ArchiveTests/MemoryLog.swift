import Domain
import EventStore
import Foundation
import TestSupport

@testable import Archive

/// A log of made-up events, and a door that remembers what came through it.
struct MemoryLog: Sendable {
    static let tenant = Tenant(id: TenantID(rawValue: 1), name: "acme")
    var events: [RecordedEvent]

    /// Event n happens to one of seven orders and is recorded n seconds after the first.
    init(count: Int) {
        var versions: [Int: Int64] = [:]
        events = (0..<count).map { number in
            let order = number * number % 7
            versions[order, default: 0] += 1
            return RecordedEvent(
                tenant: Self.tenant.id, position: Int64(number + 1),
                version: versions[order] ?? 0, recordedAt: Self.time(number + 1),
                event: NewEvent(
                    id: "e-\(number)", source: "tests", type: "Sample.Happened",
                    activityID: ActivityID(rawValue: "order-\(order)"),
                    occurredAt: Self.time(number - 1_000),
                    data: Data(#"{"n": \#(number), "price": 1.10}"#.utf8)))
        }
    }

    static func time(_ position: Int) -> Moment {
        Moment(unixSeconds: 1_700_000_000 + Int64(position))
    }

    static let now = time(1_000_000)

    /// - Parameter onRead: called before every page.
    func log(onRead: @escaping @Sendable () -> Void = {}) -> any EventLog {
        LoggedEvents(events: events, onRead: onRead)
    }

    @discardableResult
    func export(
        _ selection: Selection = Selection(), until: Int64? = nil, to layout: Layout,
        origin: Manifest.Origin? = nil, onRead: @escaping @Sendable () -> Void = {}
    ) async throws(ArchiveError) -> Export.Summary {
        try await Export.run(
            log(onRead: onRead), tenant: Self.tenant, origin: origin, selection: selection,
            until: until, to: layout, report: { _ in })
    }

    /// As many events of other ids at the same times.
    var another: MemoryLog {
        var other = self
        for index in other.events.indices { other.events[index].event.id += "-of-another" }
        return other
    }
}

/// Stands in for the database at the receiving end.
actor Receiver {
    private(set) var events: [ImportedEvent] = []
    private(set) var calls = 0

    func record(_ batch: [ImportedEvent]) -> [AppendResult] {
        calls += 1
        return batch.map { imported in
            events.append(imported)
            return .recorded(position: Int64(events.count), version: 1)
        }
    }

    @discardableResult
    func take(
        _ layout: Layout, chain: String? = nil, now: Moment = MemoryLog.now
    ) async throws(ArchiveError) -> Import.Summary {
        try await Import.run(
            from: layout, chain: chain, now: now,
            into: EventImport { _, batch in await self.record(batch) },
            tenant: { MemoryLog.tenant }, report: { _ in })
    }

    /// Why the import is refused; nil when it is not.
    func refusal(_ layout: Layout, now: Moment = MemoryLog.now) async -> ArchiveError? {
        do throws(ArchiveError) {
            try await take(layout, now: now)
            return nil
        } catch { return error }
    }
}

/// A directory of a test's own, removed with this value.
final class Place: Sendable {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.path + "/islet-archive-\(UUID().uuidString)"
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func layout(_ name: String = "export", segmentEvents: Int = 1_000) -> Layout {
        var layout = Layout("\(path)/\(name)")
        layout.segmentEventsMax = segmentEvents
        return layout
    }

    /// Name and contents of every file.
    func files(_ layout: Layout) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: layout.directory) {
            files[name] = try Data(contentsOf: URL(filePath: layout.path(of: name)))
        }
        return files
    }
}

private struct LoggedEvents: EventLog {
    let events: [RecordedEvent]
    let onRead: @Sendable () -> Void

    func append(_: TenantID, _: [NewEvent], isAtomic: Bool) -> [AppendResult] { [] }

    func select(
        _: TenantID, _: EventFilter, _ positions: ClosedRange<Int64>, _ limit: Int
    ) -> [RecordedEvent] {
        onRead()
        return Array(events.lazy.filter { positions.contains($0.position) }.prefix(limit))
    }

    func readActivity(
        _: TenantID, _ activity: ActivityID, _ after: Int64, _ limit: Int
    ) -> [RecordedEvent] {
        onRead()
        return Array(
            events.lazy.filter {
                $0.event.activityID == activity && $0.version > after
            }.prefix(limit))
    }

    func head(_: TenantID) -> Int64 { events.last?.position ?? 0 }
}
