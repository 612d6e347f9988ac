import Domain
import Postgres

extension RegistrationStore {
    static func postgres(_ wall: TenantWall) -> RegistrationStore {
        RegistrationStore(
            register: {
                (tenant, activity, token, environment, bundleID) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    let results = try await wall.batch(
                        as: tenant,
                        [
                            Statement(
                                upsert,
                                [
                                    .tenant(tenant), .activity(activity), .text(token.hex),
                                    .text(environment.rawValue), .text(bundleID),
                                ]), .notify(.phonesWaiting(tenant)),
                        ])
                    guard let row = results[0].first else {
                        throw .decoding(column: "id", expected: "a row")
                    }
                    return (id: try row.get(0), isNew: try row.get(1))
                }
            },
            count: { (tenant, activity) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await wall.query(
                        as: tenant, countLiving, [.tenant(tenant), .activity(activity)]
                    ).first?.get(0) ?? 0
                }
            })
    }

    /// The phone is owed the newest state: now, or as soon as there is one.
    private static let upsert = """
        INSERT INTO registration AS r (
            tenant, activity_id, push_token, environment, bundle_id, retry_at
        )
        VALUES ($1, $2, $3, $4, $5, 'epoch')
        ON CONFLICT ON CONSTRAINT registration_token_is_unique DO UPDATE SET
            environment = excluded.environment, bundle_id = excluded.bundle_id,
            retry_at = excluded.retry_at, attempts = 0, last_failure = NULL, dead_at = NULL,
            registered_at = excluded.registered_at, token_version = r.token_version + 1
        RETURNING id, xmax = 0
        """

    private static let countLiving = """
        SELECT count(*) FROM registration
        WHERE tenant = $1 AND activity_id = $2 AND dead_at IS NULL
        """
}

extension Registration {
    /// For `init(_: Row)`.
    static let columns = """
        id, tenant, activity_id, push_token, environment, bundle_id, sent_version, attempts,
        registered_at, token_version
        """

    init(_ row: Row) throws(PostgresError) {
        guard let token = PushToken(hex: try row.get(3)) else {
            throw .decoding(column: "push_token", expected: "hexadecimal digits")
        }
        self.init(
            id: try row.get(0), tenant: try row.tenant(1), activityID: try row.activity(2),
            pushToken: token, environment: try row.choice(4), bundleID: try row.get(5),
            sentVersion: try row.get(6), attempts: try row.get(7),
            registeredAt: try row.moment(8), tokenVersion: try row.get(9))
    }
}
