public import Domain
public import EventStore

/// A stretch of a log, whose events are decoded by whoever needs them, several at once.
public enum HistoryPage: Sendable {
    case stored(LogPage)
    case events([RecordedEvent])

    var indices: Range<Int> {
        switch self {
        case .stored(let page): page.indices
        case .events(let events): events.indices
        }
    }

    /// Spreads activities evenly: the events of one are all in the same share.
    func share(of index: Int, among count: Int) -> Int {
        switch self {
        case .stored(let page): page.share(of: index, among: count)
        case .events(let events):
            Int((fingerprint(of: events[index]) >> 32) % UInt64(count))
        }
    }

    func activity(_ index: Int) throws(ReplayError) -> ActivityID {
        switch self {
        case .stored(let page):
            do { return try page.activity(index) } catch { throw .store(error) }
        case .events(let events): return events[index].event.activityID
        }
    }

    func version(_ index: Int) throws(ReplayError) -> Int64 {
        switch self {
        case .stored(let page):
            do { return try page.version(index) } catch { throw .store(error) }
        case .events(let events): return events[index].version
        }
    }

    func place(_ index: Int) throws(ReplayError) -> (position: Int64, recordedAt: Moment) {
        switch self {
        case .stored(let page):
            do { return try page.place(index) } catch { throw .store(error) }
        case .events(let events): return (events[index].position, events[index].recordedAt)
        }
    }

    func event(_ index: Int) throws(ReplayError) -> RecordedEvent {
        switch self {
        case .stored(let page):
            do { return try page.event(index) } catch { throw .store(error) }
        case .events(let events): return events[index]
        }
    }

    private func fingerprint(of event: RecordedEvent) -> UInt64 {
        FNV.fingerprint(event.event.activityID.rawValue.utf8)
    }
}
