import Domain
import EventStore
import Foundation

/// Values that tests of the store's own rules are made of.
enum Made {
    static let tenant = TenantID(rawValue: 1)

    static func moment(_ seconds: Int64) -> Moment { Moment(unixSeconds: seconds) }

    static func snapshot(
        _ activity: String = "a", kind: String = "Match", phase: Phase = .live,
        updatedAt: Int64 = 900, blockage: String? = nil, facts: ActivityFacts = ActivityFacts()
    ) -> Snapshot {
        Snapshot(
            activityID: ActivityID(rawValue: activity), kind: kind, version: 1, position: 1,
            phase: phase, state: Data("{}".utf8), attributes: Data("{}".utf8),
            contentState: Data("{}".utf8), updatedAt: moment(updatedAt),
            blockage: blockage, facts: facts)
    }

    static func decision(
        _ version: Int64, _ verdict: Verdict = .timely, alert: Alert? = nil,
        decidedAt: Int64 = 1_000, order: PushOrder? = nil
    ) -> Decision {
        Decision(
            activityID: ActivityID(rawValue: "a"), version: version, position: version,
            verdict: verdict, rule: "rule", reason: "reason", alert: alert,
            contentState: Data("{}".utf8), decidedAt: moment(decidedAt), order: order)
    }

    static func event(
        _ position: Int64, _ activity: String = "a", version: Int64 = 1
    ) -> RecordedEvent {
        RecordedEvent(
            tenant: tenant, position: position, version: version,
            recordedAt: moment(1_000 + position),
            event: NewEvent(
                id: "\(position)", source: "/shop", type: "t",
                activityID: ActivityID(rawValue: activity), occurredAt: moment(1_000),
                data: Data("{}".utf8)))
    }

    static func claim(
        pending: [Decision], lastCompleted: Decision? = nil, progress: RecordedProgress? = nil
    ) -> DeliveryClaim {
        DeliveryClaim(
            tenant: tenant, snapshot: snapshot(), pending: pending, lastCompleted: lastCompleted,
            timestamp: 1_000, claimedAt: moment(1_000), progress: progress)
    }
}
