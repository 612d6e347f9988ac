import API
import Domain
import EventStore
import Terminal
import Testing

@testable import islet

private let eight = Moment(unixSeconds: 1_800_000_000)

private func rebuild(of tenant: Tenant, _ position: Int64, of target: Int64) -> RebuildProgress {
    RebuildProgress(
        tenant: tenant, generation: 4, position: position, target: target, isPaused: true,
        reason: "asked for", startedAt: eight, foldVersions: [:])
}

struct `The list of projections` {
    private let lagging = ProjectionStatus(
        tenant: Tenant(id: TenantID(rawValue: 1), name: "pizzeria"), head: 12, checkpoint: 10,
        lagSeconds: 3, generation: 2, parked: 1, skipped: 0, blocked: 1, rebuild: nil)

    private func sports(_ position: Int64, of target: Int64) -> ProjectionStatus {
        let tenant = Tenant(id: TenantID(rawValue: 2), name: "sports")
        return ProjectionStatus(
            tenant: tenant, head: target, checkpoint: target, lagSeconds: 0, generation: 3,
            parked: 0, skipped: 5, blocked: 0, rebuild: rebuild(of: tenant, position, of: target))
    }

    @Test func `shows what is not folded yet, and how far a rebuild is`() {
        #expect(
            ProjectionText.table([lagging, sports(45, of: 90)]) == """
                TENANT    CHECKPOINT  HEAD  LAG  WAITED  GENERATION  PARKED  FAULTED  REBUILD
                pizzeria  10          12    2    3s      2           1       1        –
                sports    90          90    0    0s      3           0       0        \
                generation 4, 50%, paused
                """)
    }

    @Test func `takes the rebuild of an empty log for done`() {
        let line = ProjectionText.table([sports(0, of: 0)]).split(separator: "\n").last
        #expect(line?.hasSuffix("generation 4, 100%, paused") == true)
    }

    @Test func `says the same to programs`() {
        let json = Console.json([lagging, sports(45, of: 90)].map(ProjectionText.document))
        #expect(
            json == """
                [
                  {
                    "checkpoint" : 10,
                    "faulted" : 1,
                    "generation" : 2,
                    "head" : 12,
                    "lagEvents" : 2,
                    "lagSeconds" : 3,
                    "parked" : 1,
                    "skipped" : 0,
                    "tenant" : "pizzeria"
                  },
                  {
                    "checkpoint" : 90,
                    "faulted" : 0,
                    "generation" : 3,
                    "head" : 90,
                    "lagEvents" : 0,
                    "lagSeconds" : 0,
                    "parked" : 0,
                    "rebuild" : {
                      "generation" : 4,
                      "isPaused" : true,
                      "position" : 45,
                      "reason" : "asked for",
                      "startedAt" : "2027-01-15T08:00:00Z"
                    },
                    "skipped" : 5,
                    "tenant" : "sports"
                  }
                ]
                """)
    }
}

struct `The list of parked events` {
    private func row(_ position: Int64, isSkipped: Bool) -> ParkedRow {
        ParkedRow(
            event: ParkedEvent(
                position: position, activityID: ActivityID(rawValue: "order-1"),
                reason: "no driver"),
            type: "PizzaDelivery.DriverAssigned", version: 3, parkedAt: eight,
            isSkipped: isSkipped)
    }

    @Test func `keeps what was skipped, and calls it so`() {
        let rows = ProjectionText.table([row(7, isSkipped: false), row(8, isSkipped: true)])
            .split(separator: "\n")
        #expect(rows.count == 3)
        #expect(rows.first?.hasPrefix("POSITION  ACTIVITY  VERSION  TYPE") == true)
        #expect(rows[1].hasSuffix("2027-01-15T08:00:00Z  parked   no driver"))
        #expect(rows[2].hasPrefix("8         order-1   3        PizzaDelivery.DriverAssigned"))
        #expect(rows[2].hasSuffix("2027-01-15T08:00:00Z  skipped  no driver"))
    }

    @Test func `says all of it to programs`() {
        #expect(
            Console.json(ParkedEventDocument.event(row(7, isSkipped: false))) == """
                {
                  "activity" : "order-1",
                  "isSkipped" : false,
                  "parkedAt" : "2027-01-15T08:00:00Z",
                  "position" : 7,
                  "reason" : "no driver",
                  "type" : "PizzaDelivery.DriverAssigned",
                  "version" : 3
                }
                """)
    }
}

struct `Skipping a parked event` {
    @Test(arguments: ["0", "first", "1.5", "99999999999999999999"])
    func `takes a position of the log`(position: String) async {
        #expect(
            await CommandWords("projections skip \(position) --tenant a").refusal()
                == .usage("POSITION must be a whole number from 1"))
    }
}
