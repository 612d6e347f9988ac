import EventStore
import Postgres
import Pipeline
import Replay
import TestSupport

@testable import API

extension RepairSetup {
    /// As a server has it.
    static func of(_ store: EventStore) -> RepairSetup {
        @Sendable func outcome(_ result: Repair.Result) -> Outcome {
            Outcome(
                activityID: result.activityID, released: result.released,
                remaining: result.remaining, reason: result.reason)
        }
        return RepairSetup(
            retry: { (tenant, activity) async throws(EventStoreError) in
                let found = try await Repair(store, tenant: tenant).retry(activity)
                return outcome(found[0])
            },
            skip: { (tenant, position) async throws(EventStoreError) in
                try await Repair(store, tenant: tenant).skip(position).map(outcome)
            })
    }
}

extension WhatIfSetup {
    /// As a server has it.
    static let ofReplay = WhatIfSetup { events, own, tried in
        let trial = ActivityTrial.run(events, own: own, tried: tried)
        func told(_ told: ActivityTrial.Told) -> Told {
            Told(version: told.version, at: told.at, title: told.title, body: told.body)
        }
        return Finding(
            before: Side(alerts: trial.toldBefore.map(told), pushes: trial.before.sent),
            after: Side(alerts: trial.toldAfter.map(told), pushes: trial.after.sent),
            changes: ["added": trial.changes.added, "removed": trial.changes.removed],
            isLeftOut: trial.isLeftOut)
    }
}

extension PostgresAPI {
    /// An order that stands still, as if its event could not have been folded.
    func block(_ order: String) async throws {
        try await place(order)
        try await fold()
        _ = try await database.pool.query(
            """
            INSERT INTO parked_event (tenant, position, activity_id, reason)
            SELECT tenant, position, activity_id, 'made up' FROM event WHERE activity_id = $1
            """, [.text(order)])
        _ = try await database.pool.query(
            "UPDATE snapshot SET fault = 'made up' WHERE activity_id = $1", [.text(order)])
    }
}
