public import Domain
public import EventStore
public import Explaining
public import Projections

/// The history of one activity, folded afresh from the log.
public struct Timeline: Sendable {
    /// One event and all that followed from it.
    public struct Entry: Sendable {
        public var event: RecordedEvent
        /// As the activity stood after it, with what it showed; nil while nothing is folded.
        public var snapshot: Snapshot?
        public var presentation: Presentation?
        public var changes: [MemberChange] = []
        /// Why the event cannot be folded, without a full stop; nil for others.
        public var parked: String?
        /// Because of it nothing after it is folded.
        public var stopsFolding = false
        /// An operator left it out: it changes nothing, and what comes after it is folded.
        public var isSkipped = false
        /// As the log gives it today; nil for what is not folded.
        public var recomputed: Decision?
        /// What was decided then, and its result; nil when it is not in the ledger yet.
        public var ledger: LedgerRow?
        /// The result of the decision's text.
        public var text = TextResult()

        public var version: Int64 { event.version }

        /// What was decided then; as the log gives it where no ledger says.
        public var decision: Decision? { ledger?.decision ?? recomputed }

        /// What phones would get or show differently if it were decided today; nil when that is the
        /// same, or there is no ledger to compare with.
        public var today: Decision? {
            guard let decision, let recomputed else { return nil }
            let isSame =
                recomputed.verdict == decision.verdict && recomputed.rule == decision.rule
                && recomputed.alert == decision.alert
                && recomputed.contentState == decision.contentState
            return isSame ? nil : recomputed
        }

        /// What differs on the card between what phones were to be shown and what the log gives.
        public var restated: [MemberChange] {
            guard let decision, let recomputed else { return [] }
            return StateDifference.between(decision.contentState, recomputed.contentState)
        }

        /// Seconds between the event and its arrival in the log.
        public var latenessSeconds: Double {
            event.recordedAt.seconds(since: event.event.occurredAt)
        }
    }

    public var activityID: ActivityID
    public var entries: [Entry]
    /// False for an export, which does not have the results of decisions.
    public var hasLedger = true
    /// What later pushes brought to phones that earlier ones did not reach.
    public var later = LaterPushes()

    /// Reads an activity's events and ledger and folds the events again.
    public static func read(
        _ history: History, activity: ActivityID
    ) async throws(ReplayError) -> Timeline {
        var reader = try await TimelineReader(history, activity: activity)
        var entries: [Entry] = []
        while true {
            let page = try await reader.next()
            if page.isEmpty { break }
            entries += page
        }
        if entries.isEmpty {
            throw try await history.noSuchActivity(activity)
        }
        var timeline = Timeline(
            activityID: activity, entries: entries, hasLedger: history.database != nil)
        let rows = entries.compactMap(\.ledger)
        let texts = TextResults(among: rows).results(of: rows)
        for index in entries.indices {
            guard let row = entries[index].ledger, let text = texts[row.decision.version] else {
                continue
            }
            timeline.entries[index].text = text
        }
        let somePhonesMissed = rows.contains { row in
            row.outcome.map { $0.failed > 0 || $0.phones == 0 } ?? false
        }
        if somePhonesMissed, let database = history.database {
            let behind = try await asked(
                try await database.store.registrations.behind(database.tenant, activity))
            timeline.later = LaterPushes(behind, among: rows)
        }
        return timeline
    }

    /// - Returns: index of the entry of a place: that version, or the last one recorded by then.
    public func index(of place: HistoryPlace) throws(ReplayError) -> Int {
        let found: Int?
        switch place {
        case .number(let version):
            found = entries.firstIndex { $0.version == version }
            if found == nil {
                throw .noSuchVersion(
                    activityID, version, versions: entries.last?.version ?? 0)
            }
        case .moment(let moment):
            found = entries.lastIndex { $0.event.recordedAt <= moment }
            if found == nil, let first = entries.first {
                throw .beforeFirst(activityID, moment, first: first.event.recordedAt)
            }
        }
        return found ?? 0
    }
}
