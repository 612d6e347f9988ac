import Domain
import EventStore
import Foundation
import JSON
import Postgres

extension Decision: RowDecodable {
    static let list = ColumnList<Decision>([
        .text("activity_id", \.activityID.rawValue) { $0.activityID = ActivityID(rawValue: $1) },
        .int8("version", \.version) { $0.version = $1 },
        .int8("position", \.position) { $0.position = $1 },
        .choice("verdict", \.verdict) { $0.verdict = $1 },
        .text("rule", \.rule) { $0.rule = $1 },
        .moment("decided_at", \.decidedAt) { $0.decidedAt = $1 },
        details,
        .optionalMoment("dismiss_at", \.dismissAt) { $0.dismissAt = $1 },
        .int4("policy_version", \.policyVersion) { $0.policyVersion = $1 },
        .int4("rules_version", \.rulesVersion) { $0.rulesVersion = $1 },
        // A part of the order, which is read before it.
        .optionalMoment("send_after", \.order?.sendAfter) { $0.order?.sendAfter = $1 },
        .mark("alert") { $0.alert != nil },
    ])

    /// What nothing searches for.
    static let details = Column<Decision>.packed("details", Detail.allCases.map(\.text)) { alias in
        let columns = Detail.allCases.prefix(Detail.columnCount)
        let older = columns.map { $0.older(alias) }.joined(separator: ", ")
        return "plain_texts(ARRAY[\(older)])"
    }

    /// One of the texts of `details`, in their order.
    enum Detail: Int, CaseIterable {
        case reason, significance, alert, news, contentState, order, relevanceScore, staleAt

        /// So many were columns before they were packed. A later one stands behind them, and older
        /// rows have none.
        fileprivate static let columnCount = 8

        /// What a decision that is made again has to say the same. Sentences may be put in other
        /// words, and times are those of the event.
        static let compared: [Detail] = [.significance, .alert, .news, .contentState, .order]

        var text: PackedText<Decision> {
            switch self {
            case .reason: .text(\.reason) { $0.reason = $1 }
            case .significance: .choice(\.significance) { $0.significance = $1 }
            case .alert: .coded(\.alert) { $0.alert = $1 }
            case .news: .coded(\.alertContext) { $0.alertContext = $1 }
            case .contentState: .json(\.contentState) { $0.contentState = $1 }
            case .order: .coded(\.order) { $0.order = $1 }
            case .relevanceScore:
                .number(\.relevanceScore) { $0.relevanceScore = $1.isFinite ? $1 : nil }
            // In microseconds from the decision, which is read before it.
            case .staleAt:
                .number({ row in
                    row.staleAt.map { $0.microseconds - row.decidedAt.microseconds }
                }) { $0.staleAt = $0.decidedAt.adding(microseconds: $1) }
            }
        }

        /// What says the same in rows that were written before the texts were packed.
        fileprivate func older(_ alias: String) -> String {
            switch self {
            case .staleAt:
                """
                (extract(epoch FROM \(alias)stale_at - \(alias)decided_at) * 1000000)::int8::text
                """
            default: "\(alias)\(column)::text"
            }
        }

        /// As it is called in SQL, or in archives alone.
        var column: String {
            switch self {
            case .reason, .significance, .alert, .news: "\(self)"
            case .contentState: "content_state"
            case .order: "plain_order"
            case .relevanceScore: "relevance_score"
            case .staleAt: "stale_at"
            }
        }
    }

    /// As `init(from:)` reads them.
    static let columns = list.sources

    /// The title of the alert, if there is one.
    /// - Parameter row: at the column of `details`.
    static func title(from row: inout RowReader) throws(PostgresError) -> String? {
        var decision = blank
        try details.read(row.row, row.skip(1), &decision)
        return decision.alert?.title
    }

    private static let blank = Decision(
        activityID: ActivityID(rawValue: ""), version: 0, position: 0, verdict: .hold, rule: "",
        reason: "", contentState: Data(), decidedAt: Moment(microseconds: 0))

    init(from row: inout RowReader) throws(PostgresError) {
        self = Self.blank
        try Self.list.read(&row, into: &self)
    }
}

extension LedgerRow: RowDecodable {
    static let columns = """
        \(Decision.columns), carried_by, sent_timestamp, accepted, failed, settled_at,
        coalesce(channels_accepted, 0), coalesce(channels_failed, 0)
        """

    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(decision: Decision(from: &row), outcome: nil)
        guard let carriedBy: Int64 = try row.optional() else {
            row.skip(6)
            return
        }
        outcome = Outcome(
            carriedBy: carriedBy, timestamp: try row.optional(), accepted: try row.get(),
            failed: try row.get(), completedAt: try row.moment(),
            channels: ChannelTally(accepted: try row.get(), failed: try row.get()))
    }
}

extension Statement {
    /// The parts of a statement that write decisions, and note which are to be sent.
    /// - Parameter rows: tenant and columns.
    static func writing(_ rows: String) -> String {
        """
        decisions AS (
            INSERT INTO decision (tenant, \(Decision.list.names))
            \(rows)
            RETURNING tenant, activity_id, version, send_after, verdict
        ), pending AS (
            INSERT INTO pending_decision (tenant, activity_id, version, send_after)
            SELECT tenant, activity_id, version, send_after FROM decisions
            WHERE verdict <> 'hold'
        )
        """
    }

    static func write(_ decisions: [Decision], _ tenant: TenantID) -> Statement {
        Statement(
            """
            WITH \(writing("SELECT $1::int4, i.* FROM \(Decision.list.unnested(from: 2)) AS i"))
            SELECT FROM decisions LIMIT 0
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
