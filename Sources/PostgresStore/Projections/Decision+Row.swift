import Domain
import EventStore
import Foundation
import Postgres

extension Decision {
    static let list = ColumnList<Decision>([
        .text("activity_id", \.activityID.rawValue) { $0.activityID = ActivityID(rawValue: $1) },
        .int8("version", \.version) { $0.version = $1 },
        .int8("position", \.position) { $0.position = $1 },
        .choice("verdict", \.verdict) { $0.verdict = $1 },
        .text("rule", \.rule) { $0.rule = $1 },
        .text("reason", \.reason) { $0.reason = $1 },
        .coded("alert", \.alert) { $0.alert = $1 },
        .json("content_state", \.contentState) { $0.contentState = $1 },
        .optionalMoment("stale_at", \.staleAt) { $0.staleAt = $1 },
        .optionalMoment("dismiss_at", \.dismissAt) { $0.dismissAt = $1 },
        .float8("relevance_score", \.relevanceScore) { $0.relevanceScore = $1 },
        .moment("decided_at", \.decidedAt) { $0.decidedAt = $1 },
        .int4("policy_version", \.policyVersion) { $0.policyVersion = $1 },
        .int4("rules_version", \.rulesVersion) { $0.rulesVersion = $1 },
        .coded("push_order", \.order) { $0.order = $1 },
        // A part of the order, which is read before it.
        .optionalMoment("send_after", \.order?.sendAfter) { $0.order?.sendAfter = $1 },
        .coded("news", \.news) { $0.news = $1 },
        .optionalChoice("significance", \.significance) { $0.significance = $1 },
    ])

    /// For `init(_: Row)`.
    static let columns = list.names

    private static let blank = Decision(
        activityID: ActivityID(rawValue: ""), version: 0, position: 0, verdict: .hold, rule: "",
        reason: "", contentState: Data(), decidedAt: Moment(microseconds: 0))

    init(_ row: Row, from first: Int = 0) throws(PostgresError) {
        self = Self.blank
        try Self.list.read(row, from: first, into: &self)
    }

    /// From the column with its time on.
    static func order(_ row: Row, _ column: Int) throws(PostgresError) -> PushOrder? {
        var order: PushOrder? = try json(row, column + 1)
        order?.sendAfter = try row.optionalMoment(column)
        return order
    }

    static func json<T: PlainValue>(
        _ row: Row, _ column: Int
    ) throws(PostgresError) -> T? {
        guard !row.isNull(column) else { return nil }
        let json = try row.content(column)
        guard let value = try? WireCoder.decode(T.self, from: json) else {
            throw .decoding(column: "\(column)", expected: "\(T.self) in JSON")
        }
        return value
    }
}

extension LedgerRow {
    /// For `init(_: Row)`.
    static let columns = """
        \(Decision.columns), carried_by, sent_timestamp, accepted, failed, settled_at,
        channels_accepted, channels_failed
        """

    init(_ row: Row) throws(PostgresError) { try self.init(row, from: 0) }

    init(_ row: Row, from first: Int) throws(PostgresError) {
        let next = first + Decision.list.count
        var outcome: Outcome?
        if let carriedBy = try row.optional(next, as: Int64.self) {
            outcome = Outcome(
                carriedBy: carriedBy, timestamp: try row.optional(next + 1),
                accepted: try row.get(next + 2), failed: try row.get(next + 3),
                completedAt: try row.moment(next + 4),
                channels: ChannelTally(
                    accepted: try row.get(next + 5), failed: try row.get(next + 6)))
        }
        self.init(decision: try Decision(row, from: first), outcome: outcome)
    }
}

extension Statement {
    static func write(_ decisions: [Decision], _ tenant: TenantID) -> Statement {
        Statement(
            """
            INSERT INTO decision (tenant, \(Decision.columns))
            SELECT $1, i.* FROM \(Decision.list.unnested(from: 2)) AS i
            """,
            [.tenant(tenant)] + Decision.list.arrays(decisions))
    }

    static func write(
        _ parked: [ParkedEvent], _ tenant: TenantID, _ generation: Int32
    ) -> Statement {
        Statement(
            """
            INSERT INTO parked_event (tenant, generation, position, activity_id, reason)
            SELECT $1, $5, i.* FROM unnest($2::int8[], $3::text[], $4::text[]) AS i
            """,
            [
                .tenant(tenant), .int8s(parked.map(\.position)),
                .texts(parked.map(\.activityID.rawValue)), .texts(parked.map(\.reason)),
                .int4(generation),
            ])
    }
}
