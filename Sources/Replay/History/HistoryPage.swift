import Encodings
public import Domain
public import EventStore

/// A stretch of a log, whose events are decoded where they are needed, several at once. Which
/// activity each belongs to is found out once for all.
public struct HistoryPage: Sendable {
    private enum Content {
        case stored(any LogPage)
        case events([RecordedEvent])
    }

    private let content: Content
    /// Each once, in the order of their first events.
    let activities: [ActivityID]
    /// Of each activity the lowest and the highest version.
    let versions: [ClosedRange<Int64>]
    /// Of each activity that of its id (FNV-1a).
    private let fingerprints: [UInt64]
    /// Of each event the place of its activity.
    private let owners: [Int32]
    /// Of each event.
    private let places: [EventPlace]

    public init(_ page: any LogPage) throws(EventStoreError) {
        var directory = Directory(count: page.indices.count)
        for index in page.indices {
            let fingerprint = page.fingerprint(index)
            let owner = directory.owner(of: fingerprint) { page.isEvent(index, of: $0) }
            let place = try page.place(index)
            if let owner {
                directory.add(place, of: owner)
            } else {
                directory.begin(try page.activity(index), fingerprint, place)
            }
        }
        self.init(.stored(page), directory)
    }

    public init(_ events: [RecordedEvent]) {
        var directory = Directory(count: events.count)
        for event in events {
            let activity = event.event.activityID
            let fingerprint = FNV1a.hash(activity.rawValue.utf8)
            let place = EventPlace(
                position: event.position, version: event.version, recordedAt: event.recordedAt)
            if let owner = directory.owner(of: fingerprint, where: { $0 == activity }) {
                directory.add(place, of: owner)
            } else {
                directory.begin(activity, fingerprint, place)
            }
        }
        self.init(.events(events), directory)
    }

    private init(_ content: Content, _ directory: Directory) {
        self.content = content
        activities = directory.activities
        versions = directory.versions
        fingerprints = directory.fingerprints
        owners = directory.owners
        places = directory.places
    }

    var indices: Range<Int> { owners.indices }

    /// - Returns: the place of the event's activity in `activities`.
    func owner(of index: Int) -> Int { Int(owners[index]) }

    /// Which activities are in a share: they are spread evenly, and one is always in the same.
    func areIn(_ share: (index: Int, count: Int)) -> [Bool] {
        fingerprints.map { Int(ActivityShares.spread($0) % UInt64(share.count)) == share.index }
    }

    func place(_ index: Int) -> EventPlace { places[index] }

    /// Versions of each activity, in the order of `activities`.
    var parts: [StreamPart] { zip(activities, versions).map { ($0, $1) } }

    /// Goes through the events of some activities. All at once, as cores that hold the same page
    /// wait for each other whenever one takes hold of it or lets go.
    /// - Parameter body: given the place of the event's activity, and the event where it lies,
    ///   which is valid until it returns.
    func forEachEvent(
        of areWanted: [Bool], _ body: (_ owner: Int, EventInPlace) throws(ReplayError) -> Void
    ) throws(ReplayError) {
        switch content {
        case .stored(let page):
            defer { withExtendedLifetime(page) {} }
            for index in indices where areWanted[owner(of: index)] {
                let owner = owner(of: index)
                let event: EventInPlace
                do {
                    event = try page.eventInPlace(index, at: places[index], of: activities[owner])
                } catch { throw .store(error) }
                try body(owner, event)
            }
        case .events(let events):
            for index in indices where areWanted[owner(of: index)] {
                try events[index].inPlace { (event) throws(ReplayError) in
                    try body(owner(of: index), event)
                }
            }
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
    var owners: [Int32] = []
    var places: [EventPlace] = []
    private(set) var fingerprints: [UInt64] = []
    /// Places by the fingerprints of their activities, each in the first free slot from its own on;
    /// -1 for none. Whose an event is can so be found out without building a string of it.
    private var slots: [Int32]

    init(count: Int) {
        owners.reserveCapacity(count)
        places.reserveCapacity(count)
        slots = [Int32](repeating: -1, count: 2 << (64 - max(count, 1).leadingZeroBitCount))
    }

    /// - Returns: nil when the activity was not come by.
    func owner(of fingerprint: UInt64, where isSame: (ActivityID) -> Bool) -> Int32? {
        let slot = slots[self.slot(of: fingerprint, where: isSame)]
        return slot < 0 ? nil : slot
    }

    private func slot(of fingerprint: UInt64, where isSame: (ActivityID) -> Bool) -> Int {
        var slot = Int(ActivityShares.spread(fingerprint)) & (slots.count - 1)
        while case let place = Int(slots[slot]), place >= 0 {
            if fingerprints[place] == fingerprint, isSame(activities[place]) { break }
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }

    mutating func add(_ place: EventPlace, of owner: Int32) {
        let known = versions[Int(owner)]
        if place.version > known.upperBound {
            versions[Int(owner)] = known.lowerBound...place.version
        } else if place.version < known.lowerBound {
            versions[Int(owner)] = place.version...known.upperBound
        }
        owners.append(owner)
        places.append(place)
    }

    /// For an activity that was not come by.
    mutating func begin(_ activity: ActivityID, _ fingerprint: UInt64, _ place: EventPlace) {
        let owner = Int32(activities.count)
        slots[slot(of: fingerprint) { _ in false }] = owner
        activities.append(activity)
        fingerprints.append(fingerprint)
        versions.append(place.version...place.version)
        owners.append(owner)
        places.append(place)
    }
}
