import Domain
import EventStore
import Foundation
import Postgres

extension Decision {
    /// For `init(_: Row)`.
    static let columns = """
        activity_id, version, position, verdict, rule, reason, alert, content_state, stale_at,
        dismiss_at, relevance_score, decided_at, policy_version, rules_version,
        send_after, push_order, news, significance
        """
    static let columnCount = 18

    init(_ row: Row, from first: Int = 0) throws(PostgresError) {
        self.init(
            activityID: try row.activity(first), version: try row.int8(first + 1),
            position: try row.int8(first + 2), verdict: try row.choice(first + 3),
            rule: try row.text(first + 4), reason: try row.text(first + 5),
            alert: try Self.json(row, first + 6), contentState: try row.content(first + 7),
            staleAt: try row.optionalMoment(first + 8),
            dismissAt: try row.optionalMoment(first + 9),
            relevanceScore: try row.optionalDouble(first + 10),
            decidedAt: try row.moment(first + 11),
            order: try Self.order(row, first + 14),
            news: try Self.json(row, first + 16),
            policyVersion: Int(try row.int4(first + 12)),
            rulesVersion: Int(try row.int4(first + 13)),
            significance: try row.optionalChoice(first + 17))
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
        let next = first + Decision.columnCount
        var outcome: Outcome?
        if let carriedBy = try row.optional(next, as: Int64.self) {
            outcome = Outcome(
                carriedBy: carriedBy, timestamp: try row.optional(next + 1),
                accepted: try row.get(next + 2), failed: try row.get(next + 3),
                settledAt: try row.moment(next + 4),
                channels: ChannelTally(
                    accepted: try row.get(next + 5), failed: try row.get(next + 6)))
        }
        self.init(decision: try Decision(row, from: first), outcome: outcome)
    }
}

extension Decision {
    private static let types = [
        "text", "int8", "int8", "text", "text", "text", "json", "json", "timestamptz",
        "timestamptz", "float8", "timestamptz", "int4", "int4", "timestamptz", "json", "json",
        "text",
    ]

    /// The rows of `columns(of:)`, from parameter `$first` on.
    static func unnested(from first: Int) -> String { Statement.unnest(types, from: first) }

    /// As many rows of `row`, from parameter `$first` on.
    static func values(_ count: Int, from first: Int) -> String {
        Statement.values(types, rows: count, from: first)
    }

    /// In the order of `columns`.
    var row: [Parameter] {
        [
            .activity(activityID), .int8(version), .int8(position), .text(verdict.rawValue),
            .text(rule), .text(reason), .json(alert.map { Array(WireCoder.encode($0)) }),
            .json(Array(contentState)), .moment(staleAt), .moment(dismissAt),
            .float8(relevanceScore), .moment(decidedAt), .int4(Int32(clamping: policyVersion)),
            .int4(Int32(clamping: rulesVersion)), .moment(order?.sendAfter),
            .json(order.map { Array(WireCoder.encode($0)) }),
            .json(news.map { Array(WireCoder.encode($0)) }), .text(significance?.rawValue),
        ]
    }

    /// In the order of `columns`.
    static func columns(of decisions: [Decision]) -> [Parameter] {
        [
            .texts(decisions.map(\.activityID.rawValue)), .int8s(decisions.map(\.version)),
            .int8s(decisions.map(\.position)), .texts(decisions.map(\.verdict.rawValue)),
            .texts(decisions.map(\.rule)), .texts(decisions.map(\.reason)),
            .jsons(decisions.map { $0.alert.map { WireCoder.encode($0) } }),
            .jsons(decisions.map(\.contentState)),
            .timestamps(decisions.map { $0.staleAt?.timestamp }),
            .timestamps(decisions.map { $0.dismissAt?.timestamp }),
            .float8s(decisions.map(\.relevanceScore)),
            .timestamps(decisions.map(\.decidedAt.timestamp)),
            .int4s(decisions.map { Int32(clamping: $0.policyVersion) }),
            .int4s(decisions.map { Int32(clamping: $0.rulesVersion) }),
            .timestamps(decisions.map { $0.order?.sendAfter?.timestamp }),
            .jsons(decisions.map { $0.order.map { WireCoder.encode($0) } }),
            .jsons(decisions.map { $0.news.map { WireCoder.encode($0) } }),
            .texts(decisions.map(\.significance?.rawValue)),
        ]
    }
}

extension Statement {
    static func write(_ decisions: [Decision], _ tenant: TenantID) -> Statement {
        Statement(
            """
            INSERT INTO decision (tenant, \(Decision.columns))
            SELECT $1, i.* FROM \(Decision.unnested(from: 2)) AS i
            """,
            [.tenant(tenant)] + Decision.columns(of: decisions))
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
