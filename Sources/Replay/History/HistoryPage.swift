public import Domain
public import EventStore

/// A stretch of a log, whose events are decoded where they are needed, several at once.
public struct HistoryPage: Sendable {
    private enum Content {
        case stored(any LogPage)
        case events([RecordedEvent])
    }

    private let content: Content
    private let directory: LogDirectory

    public init(_ page: any LogPage) throws(EventStoreError) {
        content = .stored(page)
        directory = try LogDirectory(page)
    }

    public init(_ events: [RecordedEvent]) {
        content = .events(events)
        directory = LogDirectory(events)
    }

    var indices: Range<Int> { directory.owners.indices }

    /// Each once, in the order of their first events.
    var activities: [ActivityID] { directory.activities }

    /// The lowest and the highest version of each activity.
    var versions: [ClosedRange<Int64>] { directory.versions }

    /// - Returns: the place of the event's activity in `activities`.
    func owner(of index: Int) -> Int { Int(directory.owners[index]) }

    /// Which activities are in a share: they are spread evenly, and one is always in the same.
    func areIn(_ share: (index: Int, count: Int)) -> [Bool] { directory.areIn(share) }

    func place(_ index: Int) -> EventPlace { directory.places[index] }

    /// Versions of each activity, in the order of `activities`.
    var parts: [StreamPart] { zip(activities, versions).map { ($0, $1) } }

    /// Goes through the events of some activities. All at once, as cores that use the same page
    /// wait for each other whenever one takes a reference to it or lets go.
    /// - Parameter body: given the place of the event's activity, and the event where it lies,
    ///   which is valid until it returns.
    func forEachEvent(
        of areWanted: [Bool], _ body: (_ owner: Int, BorrowedEvent) throws(ReplayError) -> Void
    ) throws(ReplayError) {
        switch content {
        case .stored(let page):
            defer { withExtendedLifetime(page) {} }
            for index in indices where areWanted[owner(of: index)] {
                let owner = owner(of: index)
                let event: BorrowedEvent
                do {
                    event = try page.borrowedEvent(
                        index, at: place(index), of: directory.activities[owner])
                } catch { throw .store(error) }
                try body(owner, event)
            }
        case .events(let events):
            for index in indices where areWanted[owner(of: index)] {
                try events[index].withBorrowedEvent { (event) throws(ReplayError) in
                    try body(owner(of: index), event)
                }
            }
        }
    }
}
