import Domain
import EventLoop
import EventStore
import Foundation
import Postgres
import Simulator
import TestSupport
import Testing

/// Compares what phones show with what was reported.
struct CardAudit {
    private let pool: Pool
    private let store: EventStore
    private let tenant: Tenant

    init(url: String, tenant name: String) async throws {
        let audited = try await TenantUnderAudit(name, at: url)
        (pool, store, tenant) = (audited.pool, audited.store, audited.tenant)
    }

    func close() async { await pool.close() }

    /// Nothing is held, and fresh cards are wanted an hour before the limit.
    func putPolicy() async throws {
        _ = try await store.policies.put(
            tenant.id, "PizzaDelivery", nil,
            Data(
                """
                {"thresholds":{"restartBeforeLimitSeconds":3600,"startTokensCount":100,\
                "startRefillSeconds":0.01,"budgetTokensCount":1000,"budgetRefillSeconds":0.01,\
                "frequentTokensCount":1000,"frequentRefillSeconds":0.01,"coalesceSeconds":0,\
                "quietTokensCount":1000,"quietRefillSeconds":0.01,"mergeSeconds":0}}
                """.utf8))
    }

    /// Orders that have been under way for so long, named `old-0` and so on: for seven hours by
    /// default. Nobody wanted fresh cards of them then; the next report of one tells that somebody
    /// does.
    func prepend(
        orders: Int, ageSeconds: Double = 421 * 60, placed: String = Caller.placed
    ) async throws {
        _ = try await pool.query(
            """
            INSERT INTO event (tenant, position, activity_id, version, event_id, source, type,
                schema_version, occurred_at, recorded_at, data)
            SELECT $1, n, 'old-' || n - 1, 1, 'old-' || n, '/early', 'PizzaDelivery.OrderPlaced',
                1, t.early, t.early, $3::text::json
            FROM generate_series(1, $2::int8) n, (
                SELECT now() - $4::float8 * interval '1 s'
            ) t (early)
            """,
            [
                .int4(tenant.id.rawValue), .int8(Int64(orders)), .text(placed),
                .float8(ageSeconds),
            ])
        _ = try await pool.query(
            """
            UPDATE log_head SET position = $2, recorded_at = now() - $3::float8 * interval '1 s'
            WHERE tenant = $1
            """, [.int4(tenant.id.rawValue), .int8(Int64(orders)), .float8(ageSeconds)])
    }

    /// As if so long had passed that what somebody was to look at later is due now.
    func letMinutePass() async throws {
        _ = try await pool.query(
            """
            WITH made AS (
                UPDATE channel SET look_at = 'epoch' WHERE state = 'creating'
            ), wanted AS (
                UPDATE channel SET retry_at = 'epoch' WHERE state = 'wanted'
            )
            UPDATE card_start SET due_at = 'epoch' WHERE due_at IS NOT NULL
            """)
    }

    /// As if the channels of what has ended had rested long enough.
    func letHoursPass() async throws {
        _ = try await pool.query(
            """
            WITH ended AS (
                UPDATE decision SET dismiss_at = now() - interval '6 h'
                WHERE verdict = 'end' AND settled_at IS NOT NULL
                RETURNING tenant, activity_id
            ), old AS (
                UPDATE snapshot s SET updated_at = now() - interval '6 h'
                FROM ended e WHERE s.tenant = e.tenant AND s.activity_id = e.activity_id
            )
            UPDATE channel c SET look_at = 'epoch'
            FROM ended e
            WHERE c.tenant = e.tenant AND c.activity_id = e.activity_id AND c.state = 'open'
            """)
    }

    /// Returns when all is folded, sent and made.
    func waitUntilSettled(_ crowd: Crowd) async throws {
        var open = "nothing"
        for round in 0..<1_200 {
            if round % 100 == 0 { try await letMinutePass() }
            let status = try await store.upkeep.status().first { $0.tenant.id == tenant.id }
            let due = try await store.deliveries.nextDue()
            let channels = try await store.channels.all().filter { $0.state != .open }
            if let status, status.checkpoint == status.head, due == nil, channels.isEmpty,
                crowd.isIdle
            {
                return
            }
            open =
                "\(status?.checkpoint ?? 0) of \(status?.head ?? 0) folded, due \(due as Any), "
                + "channels \(channels.map(\.state)), apps idle: \(crowd.isIdle)"
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("not settled after a minute: \(open)")
    }

    /// - Parameter shown: words of the newest state.
    func check(_ order: String, isOver: Bool, shows words: String, _ crowd: Crowd) async throws {
        // A first start that was cut short may never have left.
        var missing = try await installations(order, "unknown")
        if order.hasPrefix("old") { missing = [] }
        if !order.hasPrefix("heard") { missing.append(Crowd.asker) }
        for name in Crowd.names + [Crowd.asker] {
            let cards = crowd.cards(order, on: name)
            let running = cards.filter { !$0.phase.isOver }
            let place: Comment = "\(order) on \(name)'s phone"
            #expect(running.count <= (isOver ? 0 : 1), place)
            #expect(cards.count <= (order.hasPrefix("old") ? 2 : 1), place)
            for card in running {
                let state = try JSONEncoder().encode(card.contentState)
                let isNewest = String(decoding: state, as: UTF8.self).contains(words)
                let story = isNewest ? "" : try await story(order)
                #expect(isNewest, "\(place): \(story)")
            }
            if !isOver, running.isEmpty, !missing.contains(name) {
                Issue.record("\(order) is not shown on \(name)'s phone")
            }
        }
    }

    /// - Returns: number of starts in a state.
    func count(_ state: String) async throws -> Int64 {
        try await pool.query(
            "SELECT count(*) FROM card_start WHERE state = $1", [.text(state)]
        ).first?.get(0) ?? 0
    }

    private func installations(_ order: String, _ state: String) async throws -> [String] {
        try await pool.query(
            """
            SELECT d.installation FROM card_start c
            JOIN start_device d ON d.tenant = c.tenant AND d.id = c.device_id
            WHERE c.activity_id = $1 AND c.state = $2
            """, [.text(order), .text(state)]
        ).map { try $0.get(0) }
    }

    /// The results of the newest changes, for people who look into a failure.
    private func story(_ order: String) async throws -> String {
        try await pool.query(
            """
            SELECT concat_ws(' ', version, verdict, rule, send_after, settled_at,
                accepted, failed, carried_by)
            FROM decision WHERE activity_id = $1 ORDER BY version DESC LIMIT 4
            """, [.text(order)]
        ).map { try $0.get(0) }.joined(separator: "; ")
    }

    /// Names of the channels that the store knows.
    func channels() async throws -> Set<String> {
        Set(try await store.channels.all().compactMap(\.channelID))
    }
}
