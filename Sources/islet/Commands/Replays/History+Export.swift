import Archive
import Domain
import Replay

extension History {
    /// An export: events and nothing else.
    init(_ reader: ArchiveReader) {
        let manifest = reader.manifest
        let streams = ExportedStreams(reader)
        self.init(
            tenant: manifest.tenant, after: manifest.selection.after,
            onlyActivity: manifest.selection.activity.map(ActivityID.init(rawValue:)),
            end: { manifest.lastPosition },
            page: { (positions) async throws(ReplayError) in
                HistoryPage(try await reader.read(positions))
            },
            stream: { (activity, version, limit) async throws(ReplayError) in
                let events = try await streams.events(of: activity)
                return Array(events.drop { $0.version <= version }.prefix(limit))
            },
            policies: { [] },
            neighbours: { (_) async throws(ReplayError) in try await streams.activities() })
    }
}

extension ArchiveReader {
    fileprivate func read(
        _ positions: ClosedRange<Int64>
    ) async throws(ReplayError) -> [RecordedEvent] {
        do throws(ArchiveError) { return try await events(positions) } catch {
            throw error == .interrupted ? .interrupted : .export(error.description)
        }
    }
}

/// An export is in the order of its positions, so one activity's events are found by reading it
/// all; what was asked last is kept.
private actor ExportedStreams {
    private let reader: ArchiveReader
    private var newest: (activity: ActivityID, events: [RecordedEvent])?
    private var names: Set<ActivityID> = []

    init(_ reader: ArchiveReader) { self.reader = reader }

    func events(of activity: ActivityID) async throws(ReplayError) -> [RecordedEvent] {
        if let newest, newest.activity == activity { return newest.events }
        var events: [RecordedEvent] = []
        var position = reader.manifest.selection.after
        let last = reader.manifest.lastPosition
        while position < last {
            let page = min(position + Self.pageEvents, last)
            for event in try await reader.read(position + 1...page) {
                if names.count < Self.namesMax { names.insert(event.event.activityID) }
                if event.event.activityID == activity { events.append(event) }
            }
            position = page
        }
        newest = (activity, events)
        return events
    }

    /// Of what was read.
    func activities() async throws(ReplayError) -> [ActivityID] { names.sorted() }

    private static let pageEvents: Int64 = 10_000
    /// Enough to find what was probably meant among them.
    private static let namesMax = 10_000
}
