import DeliveryRules
public import Domain
import EventStore
import Explaining
import Projections

/// Folds an activity's events as they come, so that one may follow it.
public struct TimelineReader: Sendable {
    private let history: History
    private let activity: ActivityID
    private let book: PolicyBook
    private let skipped: Set<Int64>
    private var snapshot: Snapshot?
    private var presentation: Presentation?
    /// An event could not be folded, so nothing after it is.
    private var isBlocked = false
    private var version: Int64 = 0

    public init(
        _ history: History, activity: ActivityID
    ) async throws(ReplayError) {
        self.history = history
        self.activity = activity
        skipped = try await history.skipped()
        book = try PolicyBook(replaying: try await history.policies())
    }

    /// - Returns: what is new, a page at a time; nothing when there is nothing.
    public mutating func next() async throws(ReplayError) -> [Timeline.Entry] {
        let page = try await history.stream(activity, version, Limits.pageEvents)
        guard let last = page.last else { return [] }
        // In a whole log the versions before it stand under a subject that looks the same.
        if history.isPart, version == 0, let first = page.first, first.version > 1 {
            throw .beginningMissing(activity, version: first.version)
        }
        let rows = try await ledger(through: last.version)
        version = last.version
        var entries: [Timeline.Entry] = []
        for event in page { entries.append(take(event, rows[event.version])) }
        return entries
    }

    private func ledger(through last: Int64) async throws(ReplayError) -> [Int64: LedgerRow] {
        guard let database = history.database else { return [:] }
        let count = Int(last - version)
        let rows = try await asked(
            try await database.store.projections.decisions(
                database.tenant, activity, version, count))
        return Dictionary(rows.map { ($0.decision.version, $0) }, uniquingKeysWith: { $1 })
    }

    private mutating func take(_ event: RecordedEvent, _ ledger: LedgerRow?) -> Timeline.Entry {
        if skipped.contains(event.position) {
            var entry = unfolded(event, ledger)
            entry.isSkipped = true
            return entry
        }
        guard !isBlocked else {
            return unfolded(event, ledger, "an earlier event of the activity is parked")
        }
        do throws(FoldError) {
            let step = try ActivityStep.apply(event, to: snapshot, under: book)
            let shown = try ActivityCatalog.standard.presentation(of: step.snapshot)
            let changes = StateDifference.between(
                snapshot?.contentState, step.snapshot.contentState)
            snapshot = step.snapshot
            presentation = shown
            return Timeline.Entry(
                event: event, snapshot: snapshot, presentation: shown, changes: changes,
                recomputed: step.decision, ledger: ledger)
        } catch {
            // What another kind reports is parked alone; after anything else folding stops.
            if case .kindMismatch = error { return unfolded(event, ledger, error.summary) }
            isBlocked = true
            var cause = unfolded(event, ledger, error.summary + "; parked from here on")
            cause.stopsFolding = true
            return cause
        }
    }

    private func unfolded(
        _ event: RecordedEvent, _ ledger: LedgerRow?, _ parked: String? = nil
    ) -> Timeline.Entry {
        Timeline.Entry(
            event: event, snapshot: snapshot, presentation: presentation, parked: parked,
            ledger: ledger)
    }
}
