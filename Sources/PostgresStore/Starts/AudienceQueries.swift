import Domain
import EventStore
import Postgres

/// What an audience reads and writes.
enum AudienceQueries {
    /// In one transaction. Parameters: $1 tenant, $2 activity, $3 topics, $4 not before.
    static func put(
        _ tenant: TenantID, _ activity: ActivityID, _ topics: [AudienceTopic],
        _ notBefore: Moment?
    ) -> [Statement] {
        let key: [Parameter] = [.tenant(tenant), .activity(activity)]
        // In one order, so that the same wish is seen to be the same.
        let wish = key + [.texts(Set(topics).sorted().map(\.rawValue))]
        return [
            Statement(meet, [.tenant(tenant)]),
            Statement(upsert, wish + [.moment(notBefore)]),
            Statement(forgetWaiting, key),
            Statement(removeTopics, wish), Statement(insertTopics, wish),
            .notify(.phonesWaiting, tenant),
        ]
    }

    /// Place of `upsert` in `put`.
    static let answer = 1

    /// See `TokenQueries.meet`.
    private static let meet = """
        SELECT FROM pg_advisory_xact_lock(hashtextextended('starts', $1))
        """

    private static let upsert = """
        INSERT INTO activity_audience AS a (tenant, activity_id, topics, not_before, due_at)
        VALUES ($1, $2, $3, $4, coalesce($4, 'epoch'))
        ON CONFLICT ON CONSTRAINT activity_audience_key DO UPDATE SET
            topics = excluded.topics, not_before = excluded.not_before, due_at = excluded.due_at,
            put_version = a.put_version + 1, put_at = clock_timestamp(), cursor = 0,
            closed_at = NULL
        WHERE a.topics <> excluded.topics OR a.not_before IS DISTINCT FROM excluded.not_before
        RETURNING put_version = 1
        """

    /// What was only found for an earlier wish. Those under way and those that had an answer stay.
    private static let forgetWaiting = """
        DELETE FROM card_start c USING activity_audience a
        WHERE a.tenant = $1 AND a.activity_id = $2
            AND c.tenant = a.tenant AND c.activity_id = a.activity_id
            AND c.lap = 0 AND c.due_at IS NOT NULL AND c.state <> 'trying'
            AND c.put_version < a.put_version
        """

    private static let removeTopics = """
        DELETE FROM audience_topic w
        WHERE w.tenant = $1 AND w.activity_id = $2 AND w.topic <> ALL ($3::text[])
        """

    private static let insertTopics = """
        INSERT INTO audience_topic (tenant, topic, activity_id)
        SELECT a.tenant, w.topic, a.activity_id
        FROM activity_audience a, unnest($3::text[]) AS w (topic)
        WHERE a.tenant = $1 AND a.activity_id = $2 AND a.closed_at IS NULL
        ON CONFLICT ON CONSTRAINT audience_topic_key DO NOTHING
        """

    static let show = """
        SELECT a.topics, a.not_before, a.due_at IS NULL, a.closed_at IS NOT NULL, p.awaits
        FROM activity_audience a
        LEFT JOIN snapshot p ON p.tenant = a.tenant AND p.generation = live_generation(a.tenant)
            AND p.activity_id = a.activity_id
        WHERE a.tenant = $1 AND a.activity_id = $2
        """

    /// Of each state, those that are due first.
    static let count = """
        SELECT s.state, count(*), min(c.due_at)
        FROM (VALUES \(StartState.allCases.map { "('\($0.rawValue)')" }.joined(separator: ", ")))
            s (state),
        LATERAL (
            SELECT c.due_at FROM card_start c
            WHERE c.tenant = $1 AND c.activity_id = $2 AND c.lap = 0 AND c.state = s.state
            ORDER BY c.due_at LIMIT \(Domain.Limits.countedMax)
        ) c
        GROUP BY s.state
        """
}
