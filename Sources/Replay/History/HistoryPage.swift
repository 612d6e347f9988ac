public import Domain
public import EventStore

/// A stretch of a log, whose events are decoded by whoever needs them, several at once. Whose they
/// are is found out once for all.
public struct HistoryPage: Sendable {
    private enum Content {
        case stored(LogPage)
        case events([RecordedEvent])
    }

    private let content: Content
    /// Each once, in the order of their first events.
    let activities: [ActivityID]
    /// Of each activity the lowest and the highest version.
    let versions: [ClosedRange<Int64>]
    /// Of each activity how many events there are.
    let counts: [Int64]
    /// Of each event the place of its activity.
    private let owners: [Int32]

    public init(_ page: LogPage) throws(EventStoreError) {
        var directory = Directory(count: page.indices.count)
        for index in page.indices {
            directory.add(try page.activity(index), try page.version(index))
        }
        self.init(.stored(page), directory)
    }

    public init(_ events: [RecordedEvent]) {
        var directory = Directory(count: events.count)
        for event in events { directory.add(event.event.activityID, event.version) }
        self.init(.events(events), directory)
    }

    private init(_ content: Content, _ directory: Directory) {
        self.content = content
        activities = directory.activities
        versions = directory.versions
        counts = directory.counts
        owners = directory.owners
    }

    var indices: Range<Int> { owners.indices }

    /// - Returns: the place of the event's activity in `activities`.
    func owner(of index: Int) -> Int { Int(owners[index]) }

    /// Which activities are in a share: they are spread evenly, and one is always in the same.
    func areIn(_ share: (index: Int, count: Int)) -> [Bool] {
        activities.map { id in
            // The lower bits of such a fingerprint are poor.
            let fingerprint = FNV.fingerprint(id.rawValue.utf8) >> 32
            return Int(fingerprint % UInt64(share.count)) == share.index
        }
    }

    func place(_ index: Int) throws(ReplayError) -> (position: Int64, recordedAt: Moment) {
        switch content {
        case .stored(let page):
            do { return try page.place(index) } catch { throw .store(error) }
        case .events(let events): return (events[index].position, events[index].recordedAt)
        }
    }

    /// Versions of each activity, in the order of `activities`.
    var parts: [StreamPart] { zip(activities, versions).map { StreamPart($0, $1) } }

    func version(_ index: Int) throws(ReplayError) -> Int64 {
        switch content {
        case .stored(let page):
            do { return try page.version(index) } catch { throw .store(error) }
        case .events(let events): return events[index].version
        }
    }

    func event(_ index: Int) throws(ReplayError) -> RecordedEvent {
        switch content {
        case .stored(let page):
            do { return try page.event(index, of: activities[owner(of: index)]) } catch {
                throw .store(error)
            }
        case .events(let events): return events[index]
        }
    }
}

/// Whose the events of a stretch are.
private struct Directory {
    var activities: [ActivityID] = []
    var versions: [ClosedRange<Int64>] = []
    var counts: [Int64] = []
    var owners: [Int32] = []
    private var places: [ActivityID: Int32] = [:]

    init(count: Int) { owners.reserveCapacity(count) }

    mutating func add(_ activity: ActivityID, _ version: Int64) {
        if let place = places[activity] {
            let known = versions[Int(place)]
            if version > known.upperBound {
                versions[Int(place)] = known.lowerBound...version
            } else if version < known.lowerBound {
                versions[Int(place)] = version...known.upperBound
            }
            counts[Int(place)] += 1
            owners.append(place)
        } else {
            let place = Int32(activities.count)
            places[activity] = place
            activities.append(activity)
            versions.append(version...version)
            counts.append(1)
            owners.append(place)
        }
    }
}
