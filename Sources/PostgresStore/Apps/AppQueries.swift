import Domain
import EventStore
import Postgres

/// What is asked and written about apps, as the service: nobody who asks for a tenant has business
/// with keys.
enum AppQueries {
    static let keys = """
        SELECT \(AppKeyRecord.columns) FROM app_key k ORDER BY k.id
        """

    /// $1 tenant. Without the seals, for callers that only look.
    static let keysOf = """
        SELECT \(AppKeyRecord.columns.replacing("k.sealed", with: "''::bytea"))
        FROM app_key k WHERE k.tenant = $1 ORDER BY k.id
        """

    /// $1 bundle id. Until the commit nobody else adds a key of it.
    static let lockBundle = "SELECT pg_advisory_xact_lock(hashtextextended('app_key ' || $1, 0))"

    /// $1 bundle id.
    static let keysOfBundle = """
        SELECT \(AppKeyRecord.columns) FROM app_key k WHERE k.bundle_id = $1 ORDER BY k.id
        """

    static func insert(_ key: NewAppKey) -> Statement {
        Statement(
            """
            INSERT INTO app_key (
                tenant, bundle_id, team_id, key_id, scope, sealed, master_key_id
            ) VALUES ($1, $2, $3, $4, $5, $6, $7)
            """,
            [
                .tenant(key.identity.tenant), .text(key.identity.bundleID),
                .text(key.identity.teamID), .text(key.identity.keyID),
                .text(key.identity.scope.rawValue), .bytea(key.sealed), .text(key.masterKeyID),
            ])
    }

    /// $1 tenant, $2 bundle id, $3 key id or null.
    static let remove = """
        DELETE FROM app_key
        WHERE tenant = $1 AND bundle_id = $2 AND ($3::text IS NULL OR key_id = $3)
        RETURNING id
        """

    /// $1 id, $2 the seal as it was, $3 the new one, $4 its master key.
    static let reseal = """
        UPDATE app_key SET sealed = $3, master_key_id = $4 WHERE id = $1 AND sealed = $2
        RETURNING id
        """

    static let alarms = alarms(where: "true")

    /// $1 tenant.
    static let alarmsOf = alarms(where: "a.tenant = $1")

    private static func alarms(where condition: String) -> String {
        """
        SELECT a.tenant, a.bundle_id, a.environment, a.hold, a.reason, a.since, a.probe_at
        FROM app_alarm a WHERE \(condition) ORDER BY a.tenant, a.bundle_id, a.environment
        """
    }

    static func raise(_ alarm: AppAlarm) -> Statement {
        Statement(
            """
            INSERT INTO app_alarm (tenant, bundle_id, environment, hold, reason, since, probe_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT ON CONSTRAINT app_alarm_key DO UPDATE SET
                hold = excluded.hold, reason = excluded.reason, probe_at = excluded.probe_at
            """,
            appParameters(alarm.app) + [
                .text(alarm.suspension.rawValue), .text(alarm.reason), .moment(alarm.since),
                .moment(alarm.probeAt),
            ])
    }

    static let clear = """
        DELETE FROM app_alarm WHERE tenant = $1 AND bundle_id = $2 AND environment = $3
        """

    /// $1 tenant, $2 bundle id.
    static let clearAll = "DELETE FROM app_alarm WHERE tenant = $1 AND bundle_id = $2"

    static let suspensions = list(AppSuspension.allCases)

    private static func list(_ suspensions: [AppSuspension]) -> String {
        suspensions.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    }

    /// Apps that nothing is sent for, of all tenants, by why: those with an alarm, and those that
    /// phones wait for and that have no key. That the key for apps without one of their own is not
    /// for an app says that nobody has added it: any phone may name it.
    static let stopped = """
        SELECT s.hold, count(*) FROM (
            SELECT a.tenant, a.bundle_id, a.environment,
                CASE WHEN a.hold = '\(AppSuspension.keyRefused.rawValue)'
                    AND a.reason IN ('TopicDisallowed', 'BadTopic') AND NOT EXISTS (
                        SELECT FROM app_key k
                        WHERE k.tenant = a.tenant AND k.bundle_id = a.bundle_id
                    ) THEN '\(AppSuspension.noApp.rawValue)' ELSE a.hold END AS hold
            FROM app_alarm a
            UNION ALL
            SELECT d.tenant, d.bundle_id, d.environment, d.hold FROM (\(deferred)) d
            WHERE d.hold IN (\(list(AppSuspension.withoutKey)))
        ) s
        GROUP BY s.hold
        """

    /// As the index `registration_held` has it.
    static func isDeferred(_ alias: String) -> String {
        "\(alias).retry_at IS NOT NULL AND \(alias).last_failure IN (\(suspensions))"
    }

    /// As the index `card_start_held` has it.
    private static let isStartDeferred = "r.state = 'waiting' AND r.reason IN (\(suspensions))"

    /// Of all tenants, of each as many as of one.
    static let deferred = deferred(
        [cards(where: "r.tenant = o.id"), starts(where: "r.tenant = o.id")],
        ofEach: "(\(waitingTenants)) o CROSS JOIN LATERAL")

    /// Those that phones wait for, each found by the indexes from the one before: every node asks
    /// every few seconds, there may be ten thousand tenants, and mostly phones wait for none.
    private static let waitingTenants = """
        WITH RECURSIVE waiting (id) AS (
            SELECT 0
            UNION ALL
            SELECT least((
                SELECT r.tenant FROM registration r WHERE r.tenant > w.id AND \(isDeferred("r"))
                ORDER BY r.tenant, r.bundle_id, r.environment, r.last_failure LIMIT 1
            ), (
                SELECT r.tenant FROM card_start r WHERE r.tenant > w.id AND \(isStartDeferred)
                ORDER BY r.tenant, r.activity_id, r.device_id LIMIT 1
            ))
            FROM waiting w WHERE w.id IS NOT NULL
        )
        SELECT id FROM waiting WHERE id > 0
        """

    /// $1 tenant.
    static let deferredOf = mostDeferred([
        cards(where: "r.tenant = $1"), starts(where: "r.tenant = $1"),
    ])

    /// $1 tenant, $2 activity.
    static let deferredBy = mostDeferred([cards(where: ofActivity), startsOfActivity])

    /// Of those the ones on which a card is to be started.
    static let deferredStartsBy = mostDeferred([startsOfActivity])

    private static let ofActivity = "r.tenant = $1 AND r.activity_id = $2"
    private static let bounded = "LIMIT \(Domain.Limits.countedMax)"
    private static let startsOfActivity = starts(where: ofActivity)

    /// Of the apps for which the most phones wait.
    private static func mostDeferred(_ sorts: [String]) -> String {
        """
        SELECT * FROM (
            SELECT * FROM (\(deferred(sorts))) d
            ORDER BY phones + starts DESC, 1, 2, 3, 4 LIMIT \(Domain.Limits.appsCountedMax)
        ) most ORDER BY 1, 2, 3, 4
        """
    }

    private static func deferred(_ sorts: [String], ofEach: String = "") -> String {
        """
        SELECT h.tenant, h.bundle_id, h.environment, h.hold,
            count(*) FILTER (WHERE h.has_card) AS phones,
            count(*) FILTER (WHERE NOT h.has_card) AS starts
        FROM \(ofEach) (\(sorts.joined(separator: " UNION ALL "))) h
        GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
        """
    }

    /// Phones with a card, in the order of apps.
    private static func cards(where condition: String) -> String {
        """
        (
            SELECT r.tenant, r.bundle_id, r.environment, r.last_failure AS hold, true AS has_card
            FROM registration r
            WHERE \(condition) AND \(isDeferred("r")) AND r.closed_at IS NULL
            ORDER BY 1, 2, 3, 4 \(bounded)
        )
        """
    }

    /// Phones on which a card is to be started. As for the `OFFSET 0`, see `ActivityListing`.
    private static func starts(where condition: String) -> String {
        """
        (
            SELECT r.tenant, d.bundle_id, t.environment, r.reason AS hold, false AS has_card
            FROM (
                SELECT * FROM card_start r WHERE \(condition) AND \(isStartDeferred)
                ORDER BY r.tenant, r.activity_id, r.device_id \(bounded)
            ) r
            JOIN projection_checkpoint c ON c.tenant = r.tenant
            CROSS JOIN LATERAL (
                SELECT p.kind FROM snapshot p
                WHERE p.tenant = r.tenant AND p.generation = c.generation
                    AND p.activity_id = r.activity_id
                OFFSET 0
            ) p
            CROSS JOIN LATERAL (
                SELECT t.environment FROM start_token t
                WHERE t.tenant = r.tenant AND t.device_id = r.device_id AND t.kind = p.kind
                OFFSET 0
            ) t
            CROSS JOIN LATERAL (
                SELECT d.bundle_id FROM start_device d
                WHERE d.tenant = r.tenant AND d.id = r.device_id
                OFFSET 0
            ) d
        )
        """
    }

    /// Failures in a row of `alias`, with the one that is noted now. What waits for its app has not
    /// failed, and has missed something.
    static func attempts(_ alias: String, after failure: String) -> String {
        """
        CASE WHEN \(failure) IN (\(suspensions)) THEN greatest(\(alias).attempts, 1)
            ELSE \(alias).attempts + 1 END
        """
    }

    /// A step of a release, which answers how many rows it found. A statement for all of them would
    /// be cancelled if they are hundreds of thousands, and what it had done would be lost.
    /// - Parameters:
    ///   - key: of the table. A row that somebody changes meanwhile is found by it all the more.
    ///   - state: that a row waits. It is looked at again, since somebody may be quicker.
    private static func step(
        _ table: String, by key: [String] = ["tenant", "id"], where condition: String,
        waiting state: String, set change: String
    ) -> String {
        let columns = key.map { "r.\($0)" }.joined(separator: ", ")
        let isFound = key.map { "r.\($0) = f.\($0)" }.joined(separator: " AND ")
        return """
            WITH found AS MATERIALIZED (
                SELECT \(columns) FROM \(table) r WHERE \(condition) AND \(state)
                LIMIT \(Limits.rowsReleasedAtOnce)
            ), released AS (
                UPDATE \(table) r SET \(change) FROM found f WHERE \(isFound) AND \(state)
            )
            SELECT count(*) FROM found
            """
    }

    private static let ofApp = "r.tenant = $1 AND r.bundle_id = $2 AND r.environment = $3"

    /// $1 tenant, $2 bundle id, $3 environment. The epoch means at once. A phone's failures count
    /// from now on, since what it failed by before may have been its app's fault.
    static let releasePhones = step(
        "registration", where: ofApp, waiting: isDeferred("r"),
        set: "retry_at = 'epoch', last_failure = NULL, attempts = 1")

    /// Likewise what channels are owed, and those that are to be made.
    static let releaseChannels = step(
        "channel", where: ofApp, waiting: "\(isDeferred("r")) AND r.closed_at IS NULL",
        set: "retry_at = 'epoch', last_failure = NULL, attempts = least(r.attempts, 1)")

    /// Likewise cards that are to be started.
    static let releaseStarts = step(
        "card_start", by: ["tenant", "activity_id", "device_id", "lap"],
        where: """
            r.tenant = $1 AND EXISTS (
                SELECT FROM start_device d
                JOIN start_token t ON t.tenant = d.tenant AND t.device_id = d.id
                WHERE d.tenant = r.tenant AND d.id = r.device_id AND d.bundle_id = $2
                    AND t.environment = $3
            )
            """,
        waiting: isStartDeferred, set: "due_at = 'epoch', reason = NULL")

    /// $1 tenant, $2 bundle id, $3 environment, $4 its next probe as it was read. One over tokens
    /// stays as well while there are some that `releaseProven` would have tried again. Starts have
    /// no index by app: `deferred` has them, and one that is missed is a probe within a minute.
    static let clearIdle = """
        DELETE FROM app_alarm a
        WHERE a.tenant = $1 AND a.bundle_id = $2 AND a.environment = $3 AND a.probe_at = $4
            AND NOT EXISTS (SELECT FROM registration r WHERE \(ofApp) AND \(isDeferred("r")))
            AND NOT EXISTS (
                SELECT FROM channel r
                WHERE \(ofApp) AND \(isDeferred("r")) AND r.closed_at IS NULL
            )
            AND NOT EXISTS (
                SELECT FROM registration r
                WHERE \(ofApp) AND r.is_unfit AND r.closed_at IS NULL AND r.is_proven
                    AND a.hold = '\(AppSuspension.tokensUnfit.rawValue)'
                    AND r.dead_at > greatest(
                        a.since - interval '\(Limits.unfitBeforeAlarmSecondsMax) seconds',
                        clock_timestamp() - interval '\(Limits.unfitAgeSecondsMax) seconds')
            )
        RETURNING 1
        """

    /// What is due again although its token was called unfit: cards that may still be on a phone.
    /// $1 tenant, $2 bundle id.
    private static func releaseUnfit(where condition: String) -> String {
        step(
            "registration",
            where: """
                r.tenant = $1 AND r.bundle_id = $2
                    AND r.dead_at > clock_timestamp()
                        - interval '\(Limits.unfitAgeSecondsMax) seconds'
                    AND \(condition)
                """,
            waiting: "r.is_unfit AND r.closed_at IS NULL",
            set: """
                retry_at = 'epoch', dead_at = NULL, is_unfit = false, given_up_at = NULL,
                    last_failure = NULL, attempts = 1
                """)
    }

    /// Those of the environments $3, because the app's keys are others now.
    static let releaseAllUnfit = releaseUnfit(where: "r.environment = ANY ($3::text[])")

    /// Those of the environment $3 whose token APNs had accepted before it called all of them
    /// unfit, which is over.
    static let releaseProven = releaseUnfit(
        where: """
            r.environment = $3 AND r.is_proven AND r.dead_at > (
                SELECT a.since - interval '\(Limits.unfitBeforeAlarmSecondsMax) seconds'
                FROM app_alarm a
                WHERE a.tenant = $1 AND a.bundle_id = $2 AND a.environment = $3
                    AND a.hold = '\(AppSuspension.tokensUnfit.rawValue)'
            )
            """)

    static func appParameters(_ app: TenantApp) -> [Parameter] {
        [.tenant(app.tenant), .text(app.app.bundleID), .text(app.app.environment.rawValue)]
    }
}

extension AppKeyRecord: RowDecodable {
    /// Of `app_key k`, as `init(from:)` reads them.
    static let columns = """
        k.id, k.tenant, k.bundle_id, k.team_id, k.key_id, k.scope, k.sealed,
        k.master_key_id, k.added_at
        """

    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            id: row.get(),
            identity: AppKeyIdentity(
                tenant: row.tenant(), bundleID: row.get(), teamID: row.get(),
                keyID: row.get(), scope: row.choice()),
            sealed: row.get(), masterKeyID: row.get(), addedAt: row.moment())
    }
}

extension TenantApp: RowDecodable {
    /// Of the row's first columns.
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            tenant: row.tenant(), bundleID: row.get(), environment: row.choice())
    }
}

extension DeferredPhones: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            app: TenantApp(from: &row), suspension: row.choice(), count: row.get(),
            starts: row.get())
    }
}

extension AppAlarm: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            app: TenantApp(from: &row), suspension: row.choice(), reason: row.get(),
            since: row.moment(), probeAt: row.moment())
    }
}
