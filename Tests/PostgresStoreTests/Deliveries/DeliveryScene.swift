import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

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
        _ id: Int64, _ result: PhoneResult.Effect, tokenVersion: Int = 1
    ) -> PhoneResult {
        PhoneResult(registrationID: id, tokenVersion: tokenVersion, effect: result)
    }

    func outcome(_ version: Int64) -> LedgerRow.Outcome {
        LedgerRow.Outcome(
            carriedBy: version, timestamp: 1, accepted: 1, failed: 0, completedAt: now)
    }

    func ledger() async throws -> [LedgerRow] {
        try await store.projections.decisions(tenant, activity, 0, 100)
    }
}

extension DeliveryScene {
    /// A message that did not arrive; without a time of another try it is given up.
    func fail(
        _ webhook: String, _ activity: String, triedAfter seconds: Double, again: Double?
    ) async throws {
        _ = try await database.pool.query(
            """
            INSERT INTO webhook_message (
                tenant, webhook_id, activity_id, after_version, version, attempts,
                first_tried_at, tried_at, retry_at, given_up_at, last_failure
            ) VALUES (
                $1, $2, $3, 0, 1, 1, $4, $4, $5::timestamptz,
                CASE WHEN $5::timestamptz IS NULL THEN $4::timestamptz END, 'status 500'
            )
            """,
            [
                .tenant(tenant), .text(webhook), .text(activity),
                .moment(now.adding(seconds: seconds)),
                .moment(again.map { now.adding(seconds: $0) }),
            ])
    }
}
