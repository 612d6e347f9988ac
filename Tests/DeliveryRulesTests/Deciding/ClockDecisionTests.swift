import DeliveryRules
import Domain
import Foundation
import Projections
import Testing

struct `What the clock brings about` {
    /// Folds and decides one report, and then whatever falls due, until nothing does.
    private func decisions(after type: String, _ data: String) throws -> [Decision] {
        let start = Moment(unixSeconds: 1_777_660_000)
        var next: (event: NewEvent, recordedAt: Moment)? = (
            NewEvent(
                id: "1", source: "/test", type: type, activityID: ActivityID(rawValue: "a"),
                occurredAt: start, data: Data(data.utf8)), start
        )
        var snapshot: Snapshot?
        var decisions: [Decision] = []
        while let (event, recordedAt) = next {
            let version = Int64(decisions.count + 1)
            let step = try ActivityStep.apply(
                RecordedEvent(
                    tenant: TenantID(rawValue: 1), position: version, version: version,
                    recordedAt: recordedAt, event: event), to: snapshot)
            decisions.append(step.decision)
            snapshot = step.snapshot
            next = try ActivityCatalog.standard.nextDue(step.snapshot).map { ($0, $0.occurredAt) }
        }
        return decisions
    }

    @Test func `is pushed once, as the end of the eight hours`() throws {
        let decisions = try decisions(after: "BikeRide.RideStarted", "{}")
        #expect(decisions.map(\.verdict) == [.timely, .hold, .end, .hold])
        #expect(decisions[1].rule == "stale")
        #expect(decisions[3].rule == "dismissed")
        let end = decisions[2]
        #expect(end.rule == "timeLimit")
        #expect(end.alert == nil)
        #expect(end.dismissAt == end.decidedAt.adding(seconds: 900))
        #expect(end.contentState == decisions[0].contentState)
        #expect(decisions[3].decidedAt == end.dismissAt)
    }

    @Test func `is only a dismissal when the activity has ended by itself`() throws {
        let decisions = try decisions(after: "BikeRide.RideEnded", "{}")
        #expect(decisions.map(\.verdict) == [.end, .hold])
        #expect(decisions[1].rule == "dismissed")
        #expect(decisions[1].decidedAt == decisions[0].dismissAt)
    }
}
