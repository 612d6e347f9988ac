import Domain
import EventStore
import Postgres

struct PostgresRegistrationStore: RegistrationStore {
    let tenantPool: TenantScopedPool

    /// Reads, asks the rules, and writes if nobody has written meanwhile. No row is locked while
    /// the answer is on its way.
    func change(
        _ tenant: TenantID, _ activity: ActivityID, _ request: CardRequest, _ rules: CardRules
    ) async throws(EventStoreError) -> (change: CardChange, id: Int64?) {
        try await withStoreErrors { () async throws(PostgresError) in
            let queries = CardQueries(tenant: tenant, activity: activity, request: request)
            for _ in 0..<Limits.cardAttemptsMax {
                let rows = try queries.choose(
                    from: await tenantPool.batch(as: tenant, queries.finding))
                let change = rules(request, rows.cards)
                guard let writing = queries.write(change, rows) else {
                    return (change, rows.named?.id)
                }
                let waking: [Statement] =
                    change.owesNewest ? [.notify(.phonesWaiting, tenant)] : []
                do throws(PostgresError) {
                    let results = try await tenantPool.batch(as: tenant, [writing] + waking)
                    if let written = results[0].first {
                        return (change, try written.optional(0, as: Int64.self) ?? rows.named?.id)
                    }
                } catch {
                    // Someone else has just registered the same token or installation, or two
                    // have, who waited for each other.
                    guard
                        [SQLState.uniqueViolation, SQLState.deadlockDetected]
                            .contains(error.sqlState)
                    else { throw error }
                }
            }
            throw .timedOut
        }
    }

    func kept(_ tenant: TenantID, _ most: Int) async throws(EventStoreError) -> Int {
        try await tenantPool.pool.value(
            Self.countKept, [.tenant(tenant), .count(most)],
            timeout: .seconds(Limits.longCallSecondsMax)) ?? 0
    }

    func tally(_ tenant: TenantID, _ activity: ActivityID, _ moment: Moment?)
        async throws(EventStoreError) -> CardTally
    {
        try await asked(
            try CardTally(
                await tenantPool.count(
                    as: tenant,
                    [
                        Statement(
                            CardTally.sql, [.tenant(tenant), .activity(activity), .moment(moment)])
                    ])[0]))
    }

    func behind(_ tenant: TenantID, _ activity: ActivityID) async throws(EventStoreError)
        -> PhonesBehind
    {
        let place: [Parameter] = [.tenant(tenant), .activity(activity)]
        return try await asked(
            try PhonesBehind(
                await tenantPool.count(
                    as: tenant,
                    [
                        Statement(PhonesBehind.sql, place),
                        Statement(PhonesBehind.refusing, place),
                    ])))
    }

    /// $1 tenant, $2 how many at most. What belongs to one of these has a bound of its own.
    private static let countKept = """
        SELECT count(*) FROM (
            SELECT 1 FROM registration WHERE tenant = $1
            UNION ALL SELECT 1 FROM channel_listener WHERE tenant = $1
            UNION ALL SELECT 1 FROM start_device WHERE tenant = $1
            UNION ALL SELECT 1 FROM activity_audience WHERE tenant = $1
            UNION ALL SELECT 1 FROM channel WHERE tenant = $1
            LIMIT $2
        ) kept
        """
}

extension Registration {
    /// For `init(_:of:from:)`.
    static let columns = """
        id, push_token, environment, bundle_id, sent_version, attempts, registered_at,
        token_version, locale, frequent, retry_at IS NOT NULL, installation, is_proven
        """

    /// - Parameter first: the first of `columns` in the row.
    init(_ row: Row, of key: ClaimKey, from first: Int = 0) throws(PostgresError) {
        try self.init(
            id: row.int8(first), tenant: key.tenant, activityID: key.activity,
            pushToken: PushToken(stored: row.text(first + 1)),
            environment: row.choice(first + 2), bundleID: row.text(first + 3),
            sentVersion: row.int8(first + 4), attempts: Int(row.int4(first + 5)),
            registeredAt: Moment(row.timestamp(first + 6)),
            tokenVersion: Int(row.int4(first + 7)),
            locale: row.optionalText(first + 8),
            tier: row.bool(first + 9) ? .frequent : .standard,
            isOwed: row.bool(first + 10), installation: row.optionalText(first + 11),
            isProven: row.bool(first + 12))
    }
}
