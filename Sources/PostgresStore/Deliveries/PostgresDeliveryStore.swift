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

    func isCurrent(_ claim: DeliveryClaim) -> Bool { claim.isSessionFresh?() ?? false }

    func page(_ claim: DeliveryClaim, _ onlyOwed: Bool, _ now: Moment, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [Registration]
    {
        try await withStoreErrors { () async throws(PostgresError) in
            try await claims.requireOwned(claim)
            if let phones = claim.page(onlyOwed, after, limit) { return phones }
            let rows = try await pool.batch(
                Self.page(of: claim, owedBy: onlyOwed ? now : nil, after, limit))
            return try rows[rows.count - 1].decoded { (row) throws(PostgresError) in
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
        // `complete` comes next and writes the same: skip this write.
        guard !claim.needsNoRecord(of: results) else { return }
        _ = try await asked(try await claims.write(.record(results, under: claim), under: claim))
    }

    func complete(_ claim: DeliveryClaim, _ outcome: LedgerRow.Outcome)
        async throws(EventStoreError)
    {
        try await asked(try await claims.complete(claim, outcome))
    }

    func release(_ claim: DeliveryClaim) async { await claims.release([claim]) }

    func nextDue() async throws(EventStoreError) -> Moment? {
        let known = Parameter.keys(await claims.ownedOrHintedKeys)
        return try await asked(
            try await pool.query(ClaimQueries.nextDue, known).first?.optionalMoment(0))
    }

    func time() async throws(EventStoreError) -> Moment {
        try await asked(try await pool.time())
    }

    /// The last statement is the page: the registrations behind the id `after`, in order of ids.
    /// For a page of everybody the plan is kept, since making one takes as long as the page. For
    /// those that are owed something a plan is made each time, so that their index is used.
    static func page(
        of claim: DeliveryClaim, owedBy time: Moment?, _ after: Int64, _ limit: Int
    ) -> [Statement] {
        let place: [Parameter] = [
            .tenant(claim.tenant), .activity(claim.snapshot.activityID), .int8(after),
            .count(limit),
        ]
        if time == nil, !claim.mayStartCards {
            return [.transactionFewRowsSettings, Statement(everybody, place)]
        }
        let started: Parameter = .int8(claim.mayStartCards ? claim.timestamp : nil)
        return [Statement(chosen, place + [.moment(time), started])]
    }

    /// A page of all served phones of an activity.
    ///
    /// `BETWEEN` keeps the order by activity, so that only the index of an activity's served phones
    /// fits. With an equality a kept plan could go through all phones of the tenant.
    private static let everybody = """
        SELECT \(Registration.columns) FROM registration
        WHERE tenant = $1 AND activity_id BETWEEN $2 AND $2 AND dead_at IS NULL AND id > $3
            AND closed_at IS NULL
        ORDER BY activity_id, id LIMIT $4
        """

    /// A page of the served phones that are owed something by $5, or of all if that is null.
    ///
    /// $6 is the claim's timestamp if the fan-out has started cards, else null. An app that was
    /// quick to register such a card is left out: the start carried the newest state, and phones
    /// drop what has the same timestamp. The card is owed, so it is next in line.
    /// (`card_start.claimed_by` is a claim's timestamp; `delivery_state.claimed_by` a node's name.)
    private static let chosen = """
        SELECT \(Registration.columns) FROM registration r
        WHERE tenant = $1 AND activity_id = $2 AND dead_at IS NULL AND id > $3
            AND closed_at IS NULL AND ($5::timestamptz IS NULL OR retry_at <= $5)
            AND ($6::int8 IS NULL OR NOT EXISTS (
                SELECT FROM card_start c
                JOIN start_device d ON d.tenant = c.tenant AND d.id = c.device_id
                WHERE c.tenant = $1 AND c.activity_id = $2 AND c.claimed_by = $6
                    AND d.installation = r.installation AND d.bundle_id = r.bundle_id
            ))
        ORDER BY id LIMIT $4
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

    /// Whether these results are a whole fan-out to phones that were read with the claim, and
    /// nothing is to be noted of any of them.
    fileprivate func needsNoRecord(of results: [PhoneResult]) -> Bool {
        guard let phones, progress == nil, phones.count == results.count else { return false }
        return results.allSatisfy { $0.needsNoWrite }
    }
}
