import Archive
import Domain
import Replay

extension History {
    /// An export, or several: events and nothing else.
    init(_ exports: ArchiveSeries) {
        let streams = ExportedStreams(exports)
        self.init(
            tenant: exports.tenant, after: exports.after, onlyActivity: exports.activity,
            end: { exports.lastPosition },
            page: { (positions) async throws(ReplayError) in
                HistoryPage(try await exports.read(positions))
            },
            stream: { (activity, version, limit) async throws(ReplayError) in
                let events = try await streams.events(of: activity)
                return Array(events.drop { $0.version <= version }.prefix(limit))
            },
            policies: { [] },
            neighbours: { (_) async throws(ReplayError) in try await streams.activities() })
    }
}

extension ArchiveSeries {
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
    private let exports: ArchiveSeries
    private var newest: (activity: ActivityID, events: [RecordedEvent])?
    private var names: Set<ActivityID> = []

    init(_ exports: ArchiveSeries) { self.exports = exports }

    func events(of activity: ActivityID) async throws(ReplayError) -> [RecordedEvent] {
        if let newest, newest.activity == activity { return newest.events }
        var events: [RecordedEvent] = []
        var position = exports.after
        let last = exports.lastPosition
        while position < last {
            let page = min(position + Self.pageEvents, last)
            for event in try await exports.read(position + 1...page) {
                if names.count < Self.namesMax { names.insert(event.event.activityID) }
                guard event.event.activityID == activity else { continue }
                // One that was dropped and reported again is a new activity, which is meant.
                if event.version == 1 { events = [] }
                events.append(event)
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
