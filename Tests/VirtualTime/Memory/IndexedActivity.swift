import Domain

/// An activity, and what polls look for in it: as by a database's index, so that those that are of
/// no interest cost nothing.
struct IndexedActivity {
    struct Index {
        /// The node that owns the claim.
        var claimedBy: Int?
        var lastTimestamp: Int64?
        /// When there is something to send.
        var firstDue: Moment?
        /// When the clock has something to say.
        var clockDueAt: Moment?
        var hasChannels = false

        fileprivate init(_ activity: MemoryActivity) {
            claimedBy = activity.claim?.node
            lastTimestamp = activity.lastTimestamp
            firstDue = activity.firstDue
            clockDueAt = activity.snapshot?.blockage == nil ? activity.snapshot?.dueAt : nil
            hasChannels = !activity.channels.isEmpty
        }

        /// There is something to send, and no push had this second.
        func isDue(at now: Moment) -> Bool {
            lastTimestamp ?? 0 < now.unixSeconds && firstDue.map { $0 <= now } ?? false
        }
    }

    /// Apart from the index, so that it is not copied with it.
    private final class Box {
        var activity: MemoryActivity
        init(_ activity: MemoryActivity) { self.activity = activity }
    }

    private var box: Box
    private(set) var index: Index

    init() {
        let activity = MemoryActivity()
        box = Box(activity)
        index = Index(activity)
    }

    var activity: MemoryActivity {
        _read { yield box.activity }
        _modify {
            if !isKnownUniquelyReferenced(&box) { box = Box(box.activity) }
            defer { index = Index(box.activity) }
            yield &box.activity
        }
    }
}
