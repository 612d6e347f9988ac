import Domain
import EventStore
import Foundation
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
        var presentation: Presentation
        var decision: Ruling
        var outcome: Outcome?
    }

    struct Ruling: Encodable {
        var verdict: Verdict
        var rule: String
        var reason: String
        var alert: Alert?
    }

    struct Outcome: Encodable {
        var carriedBy: Int64
        var timestamp: Int64?
        var accepted: Int
        var failed: Int
        var settledAt: Moment
        var channels: ChannelTally
    }

    var activity: String
    var entries: [Entry]

    init(_ timeline: Timeline) {
        activity = timeline.activityID.rawValue
        entries = timeline.entries.map { entry in
            Entry(
                version: entry.event.version, position: entry.event.position,
                type: entry.event.event.type, occurredAt: entry.event.event.occurredAt,
                recordedAt: entry.event.recordedAt, changes: entry.changes,
                presentation: entry.presentation,
                decision: Ruling(
                    verdict: entry.decision.verdict, rule: entry.decision.rule,
                    reason: entry.decision.reason, alert: entry.decision.alert),
                outcome: entry.ledger?.outcome.map {
                    Outcome(
                        carriedBy: $0.carriedBy, timestamp: $0.timestamp, accepted: $0.accepted,
                        failed: $0.failed, settledAt: $0.settledAt, channels: $0.channels)
                })
        }
    }
}
