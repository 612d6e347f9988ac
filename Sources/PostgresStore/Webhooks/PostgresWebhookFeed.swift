import Domain
import EventStore
import Postgres

struct PostgresWebhookFeed: WebhookFeed {
    let pool: Pool

    func take(
        _ limit: Int, _ lease: String, _ now: Moment?, except leftToOthers: [String]
    ) async throws(EventStoreError) -> [WebhookLease] {
        try await pool.rows(
            WebhookWork.take, [.moment(now), .count(limit), .text(lease), .texts(leftToOthers)],
            WebhookLease.init)
    }

    func work(_ lease: WebhookLease, _ limit: Int, _ now: Moment?) async throws(EventStoreError)
        -> WebhookWork
    {
        try await asked(try await .read(lease, limit, now, pool))
    }

    func record(_ lease: WebhookLease, _ results: WebhookResults, _ now: Moment?)
        async throws(EventStoreError) -> Bool
    {
        try await asked(
            try await pool.batch(results.statements(under: lease, now))[0].first?.get(0) ?? false)
    }

    func renew(_ lease: WebhookLease, _ now: Moment?) async throws(EventStoreError) -> Bool {
        try await pool.run(WebhookWork.renew, lease.parameters + [.moment(now)]) > 0
    }

    func release(_ lease: WebhookLease) async throws(EventStoreError) {
        try await pool.run(
            """
            UPDATE webhook SET lease = NULL, lease_until = NULL
            WHERE tenant = $1 AND id = $2 AND lease = $3
            """, lease.parameters)
    }
}

extension WebhookLease {
    /// $1 tenant, $2 id, $3 lease.
    var parameters: [Parameter] {
        [.tenant(webhook.tenant), .text(webhook.id), .text(name)]
    }

    /// What the webhook's messages go by under it: address, kinds, phases, and newest secret.
    fileprivate var terms: [Parameter] {
        [
            .text(webhook.url), .texts(webhook.kinds), .texts(webhook.phases.map(\.rawValue)),
            .int8(secretID),
        ]
    }
}

extension WebhookWork {
    /// $1 now or null, $2 limit, $3 lease, $4 ids that are left out. There is something to do when
    /// the log is folded further than the webhook has come, a change is to be sent in another way,
    /// a message is due, or a push token was rejected.
    static let take = """
        WITH free AS MATERIALIZED (
            SELECT w.tenant, w.id FROM webhook w
            WHERE w.disabled_at IS NULL AND \(ClosedTenants.leftOut(by: "w.tenant"))
                AND coalesce(w.paused_until <= \(clock), true)
                AND coalesce(w.lease_until <= \(clock), true)
                AND w.id <> ALL ($4::text[])
                AND (
                    EXISTS (
                        SELECT FROM projection_checkpoint c
                        WHERE c.tenant = w.tenant AND c.position > w.position
                    ) OR EXISTS (
                        SELECT FROM activity_notice n
                        WHERE n.tenant = w.tenant
                            AND (n.position, n.serial) > (w.position, w.notice)
                    ) OR EXISTS (
                        SELECT FROM webhook_message m
                        WHERE m.tenant = w.tenant AND m.webhook_id = w.id
                            AND m.given_up_at IS NULL AND m.retry_at <= \(clock)
                    ) OR \(RejectionQueries.isDue(clock))
                )
            LIMIT $2::int8 FOR UPDATE OF w SKIP LOCKED
        )
        UPDATE webhook w SET lease = $3, lease_until = \(clock) + \(leaseTime)
        FROM free f WHERE w.tenant = f.tenant AND w.id = f.id
        RETURNING \(WebhookLease.columns), \(clock)
        """

    /// $1 tenant, $2 id, $3 lease, $4 now or null.
    fileprivate static let renew = """
        UPDATE webhook SET lease_until = \(WebhookQueries.clock("$4")) + \(leaseTime)
        WHERE tenant = $1 AND id = $2 AND lease = $3
        """

    private static let clock = WebhookQueries.clock("$1")
    /// Its owner renews it several times meanwhile, so that one that stands still loses it.
    fileprivate static let leaseTime = "interval '10 s'"

    /// The checkpoint is read first: all that was folded up to it is seen after it.
    fileprivate static func read(
        _ lease: WebhookLease, _ limit: Int, _ now: Moment?, _ pool: Pool
    ) async throws(PostgresError) -> WebhookWork {
        let (webhook, tenant) = (lease.webhook, Parameter.tenant(lease.webhook.tenant))
        let rejections = RejectionPage.statement(lease, now)
        var questions = [
            Statement(checkpoint, [tenant, .moment(now)]),
            Statement(
                ActivityChange.query,
                [
                    tenant, .int8(lease.place.position), .int8(lease.place.noticeNumber),
                    .count(limit),
                ]),
            Statement(due, [tenant, .text(webhook.id), .moment(now), .count(limit)]),
        ]
        if let rejections { questions.append(rejections) }
        let first = try await pool.batch(questions)
        guard let head = first[0].first else { return WebhookWork(place: lease.place) }
        let page = try ActivityChanges(first[1])
        let end = page.end ?? lease.place
        var work = WebhookWork(
            place: end, isFull: page.looked == limit || first[2].count == limit,
            now: try head.moment(1))
        work.hasMoreChanges = page.looked == limit
        if rejections != nil {
            work.rejections = try RejectionPage(first[3], lease)
            work.isFull = work.isFull || first[3].count == Limits.rejectionsPerMessageMax
        }
        if page.looked < limit {
            work.place = max(end, .init(position: try head.get(0)))
        }
        let wanted = (page.all + page.superseded).filter { change in
            change.snapshot.map { webhook.wants(kind: $0.kind) } ?? true
        }
        work.items = try await items(
            wanted, try first[2].decoded(WaitingMessage.init), lease, upto: end, pool)
        return work
    }

    /// - Parameter changes: of the webhook's kinds. One in a phase that it leaves out is an item
    ///   only for an erasure, as the webhook may have been sent the activity in another phase, or
    ///   for a message that is due.
    private static func items(
        _ changes: [ActivityChange], _ due: [WaitingMessage], _ lease: WebhookLease,
        upto end: ActivityChange.Place, _ pool: Pool
    ) async throws(PostgresError) -> [Item] {
        let changed = Set(changes.map(\.activityID))
        let others = due.map(\.activityID).filter { !changed.contains($0) }
        guard !changed.isEmpty || !others.isEmpty else { return [] }
        let tenant = Parameter.tenant(lease.webhook.tenant)
        let second = try await pool.batch([
            Statement(
                waiting,
                [tenant, .text(lease.webhook.id), .texts(changed.map(\.rawValue))]),
            Statement(Snapshot.severalLive, [tenant, .texts(others.map(\.rawValue))]),
            Erasure.statement(Array(changed) + others, lease, upto: end),
        ])
        let erasures = try second[2].decoded(Erasure.init)
        let erased = Set(erasures.filter(\.isOfPage).map(\.activityID))
        let messages = Dictionary(
            try (second[0].decoded(WaitingMessage.init) + due).map { ($0.activityID, $0) },
            uniquingKeysWith: { $1 })
        let concerned = erased.union(due.map(\.activityID))
        let wanted = changes.filter { change in
            // What comes at a later place as well is sent there, unless it was erased.
            let isSuperseded = change.place.position < change.snapshot?.position ?? 0
            return concerned.contains(change.activityID)
                || (!isSuperseded && change.snapshot.map(lease.webhook.wants) ?? true)
        }
        var items = wanted.map { change in
            Item(
                snapshot: change.snapshot, pending: change.noticedDecisions,
                waiting: messages[change.activityID])
        }
        let rest = try second[1].decoded(Snapshot.init)
        let found = Dictionary(rest.map { ($0.activityID, $0) }, uniquingKeysWith: { $1 })
        items += others.map {
            Item(snapshot: found[$0], pending: [], waiting: messages[$0])
        }
        let erasedAt = Dictionary(
            erasures.map { ($0.activityID, $0.at) }, uniquingKeysWith: { $1 })
        for index in items.indices {
            items[index].erasedAt = (items[index].snapshot?.activityID).flatMap { erasedAt[$0] }
        }
        try await addDecisions(to: &items, lease, pool)
        try await tellAgain(erased, in: &items, lease, pool)
        return items
    }

    /// Those since the message that waits, or without one since the webhook's place. If an
    /// earlier page was not the last one, also those that it passed over, since the activity had
    /// changed again.
    private static func addDecisions(
        to items: inout [Item], _ lease: WebhookLease, _ pool: Pool
    ) async throws(PostgresError) {
        let asked = items.compactMap { item in item.snapshot.map { ($0, item.waiting) } }
        guard !asked.isEmpty else { return }
        let (tenant, ids) = (lease.webhook.tenant, asked.map(\.0.activityID.rawValue))
        let found = try await pool.query(
            decisions,
            [
                .tenant(tenant), .texts(ids),
                .int8s(
                    asked.map { snapshot, waiting in
                        waiting?.lastLeftOut
                            ?? max(
                                snapshot.version - Int64(Limits.webhookVersionsReadMax),
                                lease.deliveredVersions[snapshot.activityID] ?? 0)
                    }), .int8s(asked.map(\.0.version)),
                .int8s(asked.map { $0.1 == nil ? lease.allSentUpTo : 0 }),
            ]
        ).decoded(Decision.init)
        let byActivity = Dictionary(grouping: found, by: \.activityID)
        for index in items.indices {
            guard let id = items[index].snapshot?.activityID, let new = byActivity[id] else {
                continue
            }
            items[index].pending = new
        }
    }

    /// $1 tenant, $2 now or null.
    private static let checkpoint = """
        SELECT coalesce((SELECT position FROM projection_checkpoint WHERE tenant = $1), 0),
            \(WebhookQueries.clock("$2"))
        """

    /// $1 tenant, $2 webhook, $3 now or null, $4 limit.
    private static let due = """
        SELECT \(WaitingMessage.columns) FROM webhook_message m
        WHERE m.tenant = $1 AND m.webhook_id = $2 AND m.given_up_at IS NULL
            AND m.retry_at <= \(WebhookQueries.clock("$3"))
        ORDER BY m.retry_at LIMIT $4
        """

    /// $1 tenant, $2 webhook, $3 activities.
    private static let waiting = """
        SELECT \(WaitingMessage.columns) FROM webhook_message m
        WHERE m.tenant = $1 AND m.webhook_id = $2 AND m.given_up_at IS NULL
            AND m.activity_id = ANY ($3::text[])
        """

    /// $1 tenant, $2 activities, $3 versions after which and $4 up to which, $5 positions after
    /// which.
    private static let decisions = """
        SELECT d.* FROM unnest($2::text[], $3::int8[], $4::int8[], $5::int8[])
            AS i (activity_id, after, upto, place), LATERAL (
            SELECT \(Decision.columns) FROM decision
            WHERE tenant = $1 AND activity_id = i.activity_id AND version > i.after
                AND version <= i.upto AND position > i.place
                AND \(WebhookQueries.isForWebhooks)
            ORDER BY version DESC LIMIT \(Limits.webhookChangesMax)
        ) d
        ORDER BY d.activity_id, d.version
        """
}

extension WaitingMessage {
    /// Version of the newest decision that is not in it. One that the receiver has had, and gets
    /// again with the state, is in it.
    fileprivate var lastLeftOut: Int64 { min(after, version - 1) }
}

extension ActivityChange {
    /// What was folded otherwise than by an event that is new to the webhook.
    fileprivate var noticedDecisions: [Decision] {
        guard place.noticeNumber > 0, let decision = decision?.decision, decision.isForWebhooks
        else {
            return []
        }
        return [decision]
    }
}

extension WebhookResults {
    /// The first gives a row back when the lease is still valid; the others write only then.
    fileprivate func statements(under lease: WebhookLease, _ now: Moment?) -> [Statement] {
        let touched = done + failures.map(\.message.activityID)
        let fence = "EXISTS (SELECT FROM webhook WHERE tenant = $1 AND id = $2 AND lease = $3)"
        var statements = [progress(lease, now)]
        if !touched.isEmpty {
            statements.append(
                Statement(
                    """
                    DELETE FROM webhook_message
                    WHERE \(fence) AND tenant = $1 AND webhook_id = $2 AND given_up_at IS NULL
                        AND activity_id = ANY ($4::text[])
                    """, lease.parameters + [.texts(touched.map(\.rawValue))]))
        }
        // Before what has failed now is added, which waits its time.
        if lease.webhook.health.failingSince != nil, health.failingSince == nil {
            statements.append(
                Statement("\(WebhookQueries.makeDue) AND \(fence)", lease.parameters))
        }
        if !failures.isEmpty { statements.append(insert(lease, fence, now)) }
        if failures.contains(where: { $0.retryAt == nil }) {
            statements.append(
                Statement(
                    """
                    DELETE FROM webhook_message
                    WHERE \(fence) AND tenant = $1 AND webhook_id = $2 AND given_up_at
                        < \(WebhookQueries.clock("$4")) - interval '30 days'
                    """, lease.parameters + [.moment(now)]))
        }
        return statements
    }

    private func progress(_ lease: WebhookLease, _ now: Moment?) -> Statement {
        let clock = WebhookQueries.clock("$4")
        return Statement(
            """
            UPDATE webhook SET lease_until = \(clock) + \(WebhookWork.leaseTime),
                position = $5, notice = $6, delivered = delivered + $7, failed = failed + $8,
                delivered_at = CASE WHEN $7 > 0 THEN \(clock) ELSE delivered_at END,
                failures = $9, failing_since = $10, paused_until = $11, last_failure = $12,
                disabled_at = CASE WHEN $13::text IS NULL THEN disabled_at
                    ELSE coalesce(disabled_at, \(clock)) END,
                disabled_by = coalesce(disabled_by, $13),
                rejection_at = $14, rejection_id = $15, rejection_upto_at = $16,
                rejection_upto_id = $17, rejection_attempts = $18, rejection_first_tried_at = $19,
                rejection_retry_at = $20, backlog_after = $21
            WHERE tenant = $1 AND id = $2 AND lease = $3
            RETURNING disabled_at IS NULL AND \(ClosedTenants.leftOut(by: "tenant"))
                AND url = $22 AND kinds = $23::text[] AND phases = $24::text[]
                AND NOT EXISTS (
                    SELECT FROM webhook_secret s
                    WHERE s.tenant = webhook.tenant AND s.webhook_id = webhook.id
                        AND s.id > $25::int8
                )
            """,
            lease.parameters + [
                .moment(now), .int8(place.position), .int8(place.noticeNumber), .count(delivered),
                .count(failed), .int4(Int32(clamping: health.failures)),
                .moment(health.failingSince), .moment(health.pausedUntil),
                .text(health.lastFailure), .text(stop?.rawValue),
            ] + rejections.parameters + [.int8(hasMoreChanges ? lease.allSentUpTo : nil)]
                + lease.terms)
    }

    private func insert(_ lease: WebhookLease, _ fence: String, _ now: Moment?) -> Statement {
        let clock = WebhookQueries.clock("$4")
        return Statement(
            """
            INSERT INTO webhook_message (
                tenant, webhook_id, activity_id, after_version, version, attempts,
                first_tried_at, tried_at, retry_at, given_up_at, last_failure
            )
            SELECT $1, $2, i.activity_id, i.after, i.version, i.attempts, i.first, \(clock),
                i.retry_at, CASE WHEN i.retry_at IS NULL THEN \(clock) END, i.reason
            FROM unnest(
                $5::text[], $6::int8[], $7::int8[], $8::int4[], $9::timestamptz[],
                $10::timestamptz[], $11::text[]
            ) AS i (activity_id, after, version, attempts, first, retry_at, reason)
            WHERE \(fence)
            """,
            lease.parameters + [
                .moment(now), .texts(failures.map(\.message.activityID.rawValue)),
                .int8s(failures.map(\.message.after)), .int8s(failures.map(\.message.version)),
                .int4s(failures.map { Int32(clamping: $0.message.attempts) }),
                .timestamps(failures.map { $0.message.firstTriedAt.timestamp }),
                .timestamps(failures.map { $0.retryAt?.timestamp }),
                .texts(failures.map(\.reason)),
            ])
    }
}
