public import Domain
import Explaining

/// Somebody's way through a timeline, one event at a time.
public struct TimelineWalk: Sendable {
    public let timeline: Timeline
    /// Index of the entry that is looked at.
    public private(set) var index = 0

    /// - Precondition: the timeline has an entry.
    public init(_ timeline: Timeline) {
        precondition(!timeline.entries.isEmpty, "no entry")
        self.timeline = timeline
    }

    public var entry: Timeline.Entry { timeline.entries[index] }

    /// - Returns: false at the end.
    public mutating func next() -> Bool { move(to: index + 1) }

    /// - Returns: false at the beginning.
    public mutating func back() -> Bool { move(to: index - 1) }

    public mutating func jump(to place: HistoryPlace) throws(ReplayError) {
        index = try timeline.index(of: place)
    }

    /// On to the next entry that alerts.
    /// - Returns: false, and stays, when there is none.
    public mutating func runToAlert() -> Bool {
        run { $0.decision?.alert != nil }
    }

    /// On to the next entry that changes a member of what phones are shown, or something in it.
    /// - Returns: false, and stays, when there is none.
    public mutating func run(untilChanged member: String) -> Bool {
        run { entry in
            entry.changes.contains {
                $0.member == member || $0.member.hasPrefix(member + ".")
            }
        }
    }

    /// Members that some entry changes.
    public var members: [String] {
        Set(timeline.entries.flatMap { $0.changes.map(\.member) }).sorted()
    }

    private mutating func run(to isWanted: (Timeline.Entry) -> Bool) -> Bool {
        guard
            let found = timeline.entries.indices.dropFirst(index + 1)
                .first(where: { isWanted(timeline.entries[$0]) })
        else { return false }
        return move(to: found)
    }

    private mutating func move(to other: Int) -> Bool {
        guard timeline.entries.indices.contains(other) else { return false }
        index = other
        return true
    }
}
