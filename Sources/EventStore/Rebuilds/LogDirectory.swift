import Encodings
public import Domain

/// Whose the events of a stretch of a log are, found out once for all that walk through it.
public struct LogDirectory: Sendable {
    /// Each once, in the order of their first events.
    public private(set) var activities: [ActivityID] = []
    /// Of each activity the lowest and the highest version.
    public private(set) var versions: [ClosedRange<Int64>] = []
    /// Of each event the place of its activity.
    public private(set) var owners: [Int32] = []
    /// Of each event.
    public private(set) var places: [EventPlace] = []
    /// Of each activity that of its id (FNV-1a).
    private var fingerprints: [UInt64] = []
    /// Places by the fingerprints of their activities, each in the first free slot from its own on;
    /// -1 for none. Whose an event is can so be found out without building a string of it.
    private var slots: [Int32]

    public init(_ page: any LogPage) throws(EventStoreError) {
        self.init(count: page.indices.count)
        for index in page.indices {
            let fingerprint = page.fingerprint(index)
            let owner = owner(of: fingerprint) { page.isEvent(index, of: $0) }
            let place = try page.place(index)
            if let owner {
                add(place, of: owner)
            } else {
                begin(try page.activity(index), fingerprint, place)
            }
        }
        slots = []
    }

    public init(_ events: [RecordedEvent]) {
        self.init(count: events.count)
        for event in events {
            let activity = event.event.activityID
            let fingerprint = FNV1a.hash(activity.rawValue.utf8)
            let place = EventPlace(
                position: event.position, version: event.version, recordedAt: event.recordedAt)
            if let owner = owner(of: fingerprint, where: { $0 == activity }) {
                add(place, of: owner)
            } else {
                begin(activity, fingerprint, place)
            }
        }
        slots = []
    }

    private init(count: Int) {
        owners.reserveCapacity(count)
        places.reserveCapacity(count)
        slots = [Int32](repeating: -1, count: 2 << (64 - max(count, 1).leadingZeroBitCount))
    }

    /// Which activities are in a share: they are spread evenly, and one is always in the same.
    public func areIn(_ share: (index: Int, count: Int)) -> [Bool] {
        fingerprints.map { Int(Self.spread($0) % UInt64(share.count)) == share.index }
    }

    /// Makes numbers of fingerprints whose every bit depends on the whole id. As they are, ids that
    /// differ in their last two characters alone have all but the same bits in the middle, and of
    /// orders that are numbered a hundred in a row would be in one share.
    private static func spread(_ fingerprint: UInt64) -> UInt64 {
        (fingerprint &* 0x9E37_79B9_7F4A_7C15) >> 32
    }

    /// - Returns: nil when the activity was not come by.
    private func owner(of fingerprint: UInt64, where isSame: (ActivityID) -> Bool) -> Int32? {
        let slot = slots[self.slot(of: fingerprint, where: isSame)]
        return slot < 0 ? nil : slot
    }

    private func slot(of fingerprint: UInt64, where isSame: (ActivityID) -> Bool) -> Int {
        var slot = Int(Self.spread(fingerprint)) & (slots.count - 1)
        while case let place = Int(slots[slot]), place >= 0 {
            if fingerprints[place] == fingerprint, isSame(activities[place]) { break }
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }

    private mutating func add(_ place: EventPlace, of owner: Int32) {
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
    private mutating func begin(
        _ activity: ActivityID, _ fingerprint: UInt64, _ place: EventPlace
    ) {
        let owner = Int32(activities.count)
        slots[slot(of: fingerprint) { _ in false }] = owner
        activities.append(activity)
        fingerprints.append(fingerprint)
        versions.append(place.version...place.version)
        owners.append(owner)
        places.append(place)
    }
}
