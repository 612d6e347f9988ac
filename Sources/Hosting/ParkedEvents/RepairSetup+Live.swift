import API
import EventStore
import Pipeline

extension RepairSetup {
    static func live(_ store: EventStore) -> RepairSetup {
        RepairSetup(
            retry: { (tenant, activity) async throws(EventStoreError) in
                let results = try await Repair(store, tenant: tenant).retry(activity)
                return results.first.map(Outcome.init)
                    ?? Outcome(activityID: activity, released: 0, remaining: 0, reason: nil)
            },
            skip: { (tenant, position) async throws(EventStoreError) in
                try await Repair(store, tenant: tenant).skip(position).map(Outcome.init)
            })
    }
}

extension RepairSetup.Outcome {
    fileprivate init(_ result: Repair.Result) {
        self.init(
            activityID: result.activityID, released: result.released,
            remaining: result.remaining, reason: result.reason)
    }
}
