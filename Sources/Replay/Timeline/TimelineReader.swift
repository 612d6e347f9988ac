public import Domain
import EventStore
import Projections
import PushDispatch

/// Folds an activity's events as they come, so that one may follow it.
public struct TimelineReader: Sendable {
    private let history: History
    private let activity: ActivityID
    private let book: PolicyBook
    private let skipped: Set<Int64>
    private var snapshot: Snapshot?
    private var version: Int64 = 0

    public init(
        _ history: History, activity: ActivityID
    ) async throws(ReplayError) {
        self.history = history
        self.activity = activity
        skipped = try await history.skipped()
        book = try await PolicyBook.replaying(history)
    }

    /// - Returns: what is new, a page at a time; nothing when there is nothing.
    public mutating func next() async throws(ReplayError) -> [Timeline.Entry] {
        var entries: [Timeline.Entry] = []
        repeat {
            let page = try await history.stream(activity, version, Limits.pageEvents)
            guard let last = page.last else { break }
            if version == 0, let first = page.first, first.version > 1 {
                throw .beginningMissing(activity, version: first.version)
            }
            let rows = try await ledger(through: last.version)
            version = last.version
            for event in page where !skipped.contains(event.position) {
                let entry = try step(event, rows[event.version])
                snapshot = entry.snapshot
                entries.append(entry)
            }
        } while entries.isEmpty
        return entries
    }

    private func ledger(
        through last: Int64
    ) async throws(ReplayError) -> [Int64: LedgerRow] {
        guard let ledger = history.ledger else { return [:] }
        let count = Int(last - version)
        let rows = try await ledger.rows(activity, version, count)
        return Dictionary(rows.map { ($0.decision.version, $0) }, uniquingKeysWith: { $1 })
    }

    private func step(
        _ event: RecordedEvent, _ ledger: LedgerRow?
    ) throws(ReplayError) -> Timeline.Entry {
        do {
            let step = try ActivityStep.apply(event, to: snapshot, under: book)
            return Timeline.Entry(
                event: event, snapshot: step.snapshot,
                changes: StateDifference.between(
                    snapshot?.contentState, step.snapshot.contentState),
                presentation: try ActivityCatalog.presentation(
                    kind: step.snapshot.kind, attributes: step.snapshot.attributes,
                    contentState: step.snapshot.contentState),
                recomputed: step.decision, ledger: ledger)
        } catch { throw .unfoldable(version: event.version, error) }
    }
}
