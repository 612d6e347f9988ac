import Domain
import EventStore
import Postgres

/// Functions of the database write such payloads too, as `append_events()` and `import_events()`
/// do, and so does a tenant's move. A search for `islet_news` finds all of them.
extension StoreNotification {
    /// The one channel of Postgres on which nodes tell each other of everything.
    static let channel = "islet_news"

    /// Nil for what a newer program may say, and for what the node said itself.
    /// - Parameter node: the node's own name.
    init?(payload: String, heardBy node: String) {
        let words = payload.split(separator: " ")
        guard words.count >= 2, let subject = Subject(rawValue: String(words[0])),
            subject.isAnnounced, let number = Int32(words[1])
        else { return nil }
        if words.count > 2, words[2] == node { return nil }
        self = .happened(subject, TenantID(rawValue: number))
    }
}

extension StoreNotification.Subject {
    /// The others are only ever found out locally.
    fileprivate var isAnnounced: Bool { self != .decided && self != .foldedElsewhere }
}

extension Statement {
    /// Tells every node, once the transaction is committed.
    static func notify(_ subject: StoreNotification.Subject, _ tenant: TenantID) -> Statement {
        Statement(
            "SELECT pg_notify($1, $2)",
            [.text(StoreNotification.channel), .text(payload(of: .happened(subject, tenant)))])
    }

    /// The same in a transaction of its own, which does not wait for the disk: what it says is
    /// durable already, and a `NOTIFY` that waits keeps all others waiting.
    /// - Parameter node: one that knows already.
    static func announce(_ notifications: [StoreNotification], by node: String) -> Statement {
        Statement(
            """
            SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload, (
                SELECT set_config('synchronous_commit', 'off', true) OFFSET 0
            ) async_commit
            """,
            [
                .text(StoreNotification.channel),
                .texts(notifications.map { "\(payload(of: $0)) \(node)" }),
            ])
    }

    private static func payload(of notification: StoreNotification) -> String {
        guard case .happened(let subject, let tenant) = notification, subject.isAnnounced else {
            preconditionFailure("\(notification) is not announced")
        }
        return "\(subject.rawValue) \(tenant.rawValue)"
    }
}
