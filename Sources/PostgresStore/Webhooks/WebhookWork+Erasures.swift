import Domain
import EventStore
import Postgres

/// The last erasure of an activity.
struct Erasure {
    var activityID: ActivityID
    var at: Moment
    /// Whether it is among the changes of the page.
    var isOfPage: Bool

    init(_ row: Row) throws(PostgresError) {
        activityID = try row.activity(0)
        at = try row.moment(1)
        isOfPage = try row.bool(2)
    }

    /// Of activities, seen from a page that ends at a place. One that came after the page was read
    /// is not one of it yet: the page's snapshots are older.
    static func statement(
        _ activities: [ActivityID], _ lease: WebhookLease, upto end: ActivityChange.Place
    ) -> Statement {
        Statement(
            query,
            [
                .tenant(lease.webhook.tenant), .texts(activities.map(\.rawValue)),
                .int8(lease.place.position), .int8(lease.place.noticeNumber), .int8(end.position),
                .int8(end.noticeNumber),
            ])
    }

    /// $1 tenant, $2 activities, $3 and $4 the place to begin after, $5 and $6 the place to end
    /// with. A change that follows an erasure hides its notice from the page, but not from here.
    private static let query = """
        SELECT k.activity_id, k.erased_at, EXISTS (
            SELECT FROM activity_notice n
            WHERE n.tenant = k.tenant AND n.activity_id = k.activity_id
                AND (n.position, n.serial) > ($3::int8, $4::int8)
                AND (n.position, n.serial) <= ($5::int8, $6::int8)
        )
        FROM subject_key k
        WHERE k.tenant = $1 AND k.activity_id = ANY ($2::text[]) AND k.erased_at IS NOT NULL
        """
}

extension WebhookWork {
    /// What was sent before an erasure is sent again, by the newest decision that was worth a
    /// message: the one about the last event may have been held. In a phase that the webhook leaves
    /// out nothing else is sent, however much has changed.
    static func tellAgain(
        _ erased: Set<ActivityID>, in items: inout [Item], _ lease: WebhookLease, _ pool: Pool
    ) async throws(PostgresError) {
        let webhook = lease.webhook
        let asked = items.compactMap { item -> ActivityID? in
            guard let snapshot = item.snapshot, erased.contains(snapshot.activityID),
                item.isUnchanged(since: lease.place) || !webhook.wants(snapshot)
            else { return nil }
            return snapshot.activityID
        }
        guard !asked.isEmpty else { return }
        let found = try await pool.query(
            newest, [.tenant(webhook.tenant), .texts(asked.map(\.rawValue))]
        ).decoded(Decision.init)
        let byActivity = Dictionary(grouping: found, by: \.activityID)
        for index in items.indices {
            // Fresh cards that replace old ones are no message.
            guard let snapshot = items[index].snapshot, let erasedAt = items[index].erasedAt,
                let decision = byActivity[snapshot.activityID]?.last(where: {
                    $0.order?.restarts != true
                }), decision.decidedAt <= erasedAt || !webhook.wants(snapshot)
            else { continue }
            items[index].pending = [decision]
            items[index].known = decision.version
        }
    }

    /// $1 tenant, $2 activities. Of each the last few that it may have been sent.
    private static let newest = """
        SELECT d.* FROM unnest($2::text[]) AS i (activity_id), LATERAL (
            SELECT \(Decision.columns) FROM decision
            WHERE tenant = $1 AND activity_id = i.activity_id
                AND \(WebhookQueries.isForWebhooks)
            ORDER BY version DESC LIMIT 8
        ) d
        ORDER BY d.activity_id, d.version
        """
}

extension WebhookWork.Item {
    /// Nothing of it is new to the webhook, and nothing waits; but it was erased at some time.
    fileprivate func isUnchanged(since place: ActivityChange.Place) -> Bool {
        guard let erasedAt, waiting == nil else { return false }
        // Fresh cards are no message, so they do not tell of it either.
        return pending.allSatisfy {
            $0.order?.restarts == true
                || ($0.position <= place.position && $0.decidedAt <= erasedAt)
        }
    }
}
