import Domain
import EventStore
import Postgres

struct PostgresDeliveryStore: DeliveryStore {
    let pool: Pool
    let claims: DeliveryClaims

    func claimNext(_ limit: Int, _ scope: ClaimScope, _ now: Moment?) async throws(EventStoreError)
        -> [DeliveryClaim]
    {
        try await asked(try await claims.claimNext(limit, scope, now))
    }

    func isCurrent(_ claim: DeliveryClaim) -> Bool { claim.isLeaseFresh?() ?? false }

    func takeOvers() -> Int { claims.takeOvers }

    func page(_ claim: DeliveryClaim, _ onlyOwed: Bool, _ now: Moment, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [Registration]
    {
        try await storing { () async throws(PostgresError) in
            try await claims.requireHeld(claim)
            if let phones = claim.page(onlyOwed, after, limit) { return phones }
            let owedBy: Parameter = .moment(onlyOwed ? now : nil)
            return try await claims.read(
                Self.page,
                [
                    .tenant(claim.tenant), .activity(claim.snapshot.activityID),
                    .int8(after), owedBy, .count(limit),
                    .int8(claim.mayStartCards ? claim.timestamp : nil),
                ]
            ).decoded { (row) throws(PostgresError) in
                try Registration(row, of: ClaimKey(claim))
            }
        }
    }

    func renew(_ claim: DeliveryClaim, _ now: Moment?) async throws(EventStoreError)
        -> DeliveryClaim?
    {
        try await asked(try await claims.renew(claim, now))
    }

    func record(_ claim: DeliveryClaim, _ results: [PhoneResult]) async throws(EventStoreError) {
        // What is completed next says all of it.
        guard !claim.isAll(results) else { return }
        _ = try await asked(try await claims.write(.record(results, under: claim), under: claim))
    }

    func complete(_ claim: DeliveryClaim, _ outcome: LedgerRow.Outcome)
        async throws(EventStoreError)
    {
        try await asked(try await claims.complete(claim, outcome))
    }

    func release(_ claim: DeliveryClaim) async { await claims.release([claim]) }

    func nextDue() async throws(EventStoreError) -> Moment? {
        let covered = Parameter.keys(await claims.coveredKeys)
        return try await asked(
            try await pool.query(ClaimQueries.nextDue, covered).first?.optionalMoment(0))
    }

    func time() async throws(EventStoreError) -> Moment {
        try await asked(try await pool.time())
    }

    /// $6 is null unless the fan-out has started cards: an app that was quick to register one is
    /// sent nothing more in it. The start carried the newest state, and phones drop what has the
    /// same timestamp; being owed, the card is next in line.
    private static let page = """
        SELECT \(Registration.columns) FROM registration r
        WHERE tenant = $1 AND activity_id = $2 AND dead_at IS NULL AND id > $3
            AND closed_at IS NULL AND ($4::timestamptz IS NULL OR retry_at <= $4)
            AND ($6::int8 IS NULL OR NOT EXISTS (
                SELECT FROM card_start c
                JOIN start_device d ON d.tenant = c.tenant AND d.id = c.device_id
                WHERE c.tenant = $1 AND c.activity_id = $2 AND c.claimed_by = $6
                    AND d.installation = r.installation AND d.bundle_id = r.bundle_id
            ))
        ORDER BY id LIMIT $5
        """
}

extension DeliveryClaim {
    /// The first page of a fan-out, if that is all of it and was read with the claim.
    fileprivate func page(_ onlyOwed: Bool, _ after: Int64, _ limit: Int) -> [Registration]? {
        guard let phones, phones.count < limit, !onlyOwed, after == 0, !mayStartCards else {
            return nil
        }
        return phones
    }

    /// Whether a fan-out is over with these results, and nothing is to be noted of any phone.
    fileprivate func isAll(_ results: [PhoneResult]) -> Bool {
        guard let phones, resumed == nil, phones.count == results.count else { return false }
        return results.allSatisfy { $0.isImplied }
    }
}
