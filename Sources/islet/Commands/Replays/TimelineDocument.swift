import API
import Domain
import EventStore
import Explaining
import Projections
import Replay

/// A timeline as one JSON document.
struct TimelineDocument: Encodable {
    struct Entry: Encodable {
        var version: Int64
        var position: Int64
        var type: String
        var occurredAt: Moment
        var recordedAt: Moment
        var changes: [MemberChange]
        /// Why it cannot be folded.
        var parked: String?
        /// True when an operator left it out; else absent.
        var skipped: Bool?
        /// Absent while nothing is folded.
        var presentation: Presentation?
        /// As it was made then, or as the log gives it where no ledger says.
        var decision: LedgerDocument?
        /// As the log gives it today; only where that tells or shows phones something else.
        var today: LedgerDocument?
        var outcome: LedgerDocument?
    }

    var activity: String
    var entries: [Entry]
    /// Only when they were asked for.
    var phones: [PhoneRow]?

    init(_ timeline: Timeline, phones: [PhoneRow]?) {
        self.phones = phones
        activity = timeline.activityID.rawValue
        entries = timeline.entries.map { entry in
            Entry(
                version: entry.event.version, position: entry.event.position,
                type: entry.event.event.type, occurredAt: entry.event.event.occurredAt,
                recordedAt: entry.event.recordedAt, changes: entry.changes,
                parked: entry.parked, skipped: entry.isSkipped ? true : nil,
                presentation: entry.presentation,
                decision: entry.decision.map { LedgerDocument($0) },
                today: entry.today.map { LedgerDocument($0) },
                outcome: entry.ledger?.outcome.map { LedgerDocument($0) })
        }
    }
}
