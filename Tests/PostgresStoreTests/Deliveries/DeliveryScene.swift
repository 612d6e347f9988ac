import Domain
import EventStore
import TestSupport
import Testing

/// One tenant with one activity and some changes to send.
struct DeliveryScene {
    let database: TestDatabase
    let store: EventStore
    let tenant: TenantID
    let activity = ActivityID(rawValue: "order-1")
    let now = Moment(unixSeconds: 1_800_000_000)

    init(_ verdicts: [Verdict] = [.timely]) async throws {
        database = try await TestDatabase.make()
        store = database.store
        tenant = try await store.tenants.ensure("acme").id
        for verdict in verdicts { try await change(verdict) }
    }

    func change(_ verdict: Verdict) async throws {
        let head = try await store.log.head(tenant)
        _ = try await store.log.append(tenant, [Samples.event("\(head + 1)")])
        try await Samples.foldAll(store, verdict)
    }

    func register(_ digit: String) async throws -> Int64 {
        try await store.registrations.register(
            tenant, activity, Samples.token(digit), .sandbox, "com.example"
        ).id
    }

    func claim(_ store: EventStore? = nil, after seconds: Double = 0) async throws
        -> [DeliveryClaim]
    {
        try await (store ?? self.store).deliveries.claimNext(10, .all, now.adding(seconds: seconds))
    }

    func result(
        _ id: Int64, _ result: PhoneResult.Result, tokenVersion: Int = 1
    ) -> PhoneResult {
        PhoneResult(registrationID: id, tokenVersion: tokenVersion, result: result)
    }

    func outcome(_ version: Int64) -> LedgerRow.Outcome {
        LedgerRow.Outcome(
            carriedBy: version, timestamp: 1, accepted: 1, failed: 0, completedAt: now)
    }

    func ledger() async throws -> [LedgerRow] {
        try await store.projections.decisions(tenant, activity, 0, 100)
    }
}
