import Foundation
import Postgres
import TestSupport
import Testing

/// Looks into the database of nodes of which one stands still, past all of them.
struct FreezeAudit {
    /// Everything that a node owns is another one's after so long.
    static let takeOverSecondsMax = 15.0

    let audited: TenantUnderAudit

    init(_ place: Stage) async throws {
        audited = try await TenantUnderAudit(Stage.tenant, at: place.postgres.url)
    }

    /// - Returns: after how many seconds, and nil when it was not so for a minute.
    func seconds(
        until what: String, _ condition: () async throws -> Bool
    ) async throws -> Double? {
        let began = ContinuousClock.now
        while ContinuousClock.now - began < .seconds(60) {
            if try await condition() { return (ContinuousClock.now - began) / .seconds(1) }
            try await Task.sleep(for: .milliseconds(20))
        }
        let story = try await story()
        Issue.record("not so for a minute: \(what): \(story)")
        return nil
    }

    /// For people who look into a failure.
    private func story() async throws -> String {
        try await audited.pool.query(
            """
            SELECT concat_ws(' ', application_name, state, wait_event_type, wait_event,
                now() - state_change, pg_blocking_pids(pid), left(query, 200))
            FROM pg_stat_activity WHERE application_name LIKE 'islet/%' AND state <> 'idle'
            UNION ALL SELECT concat_ws(' ', 'webhook', position, delivered, failed, last_failure,
                lease, lease_until, paused_until, now()) FROM webhook
            UNION ALL SELECT concat_ws(' ', 'folded', position, moved_at)
            FROM projection_checkpoint
            UNION ALL SELECT concat_ws(' ', 'head', position, recorded_at) FROM log_head
            UNION ALL SELECT s::text FROM delivery_state s
            """
        ).map { try $0.get(0) }.joined(separator: "\n")
    }

    func count(_ sql: String, _ parameters: [Parameter] = []) async throws -> Int64 {
        try await audited.pool.query("SELECT count(*) FROM \(sql)", parameters).first?.get(0) ?? 0
    }

    func isFolded() async throws -> Bool {
        try await count(
            """
            projection_checkpoint c JOIN log_head h ON h.tenant = c.tenant
            WHERE c.position < h.position
            """) == 0
    }

    /// What has become of each change that was to be sent.
    func settlements() async throws -> [String] {
        try await audited.pool.query(
            """
            SELECT concat_ws(' ', activity_id, version, settled_at, carried_by, sent_timestamp,
                accepted, failed)
            FROM decision WHERE settled_at IS NOT NULL ORDER BY activity_id, version
            """
        ).map { try $0.get(0) }
    }

    /// Sessions of the node that are in a state.
    func sessions(of node: String, where condition: String) async throws -> Int64 {
        try await count(
            "pg_stat_activity WHERE application_name = $1 AND \(condition)",
            [.text("islet/\(node)")])
    }

    /// Stops a node at a moment when it has no lock that somebody else would wait for.
    func freezeOutsideTransactions(_ process: ServeProcess, named node: String) async throws {
        let isFrozen = try await seconds(until: "it stands still outside of a transaction") {
            await process.freeze()
            // What it had asked before is answered within this time.
            try await Task.sleep(for: .milliseconds(100))
            if try await sessions(of: node, where: "xact_start IS NOT NULL") == 0 { return true }
            await process.thaw()
            return false
        }
        try #require(isFrozen != nil)
    }

    /// All is folded and sent, and the log gives it again.
    func check(_ place: Stage) async throws {
        _ = try await seconds(until: "all is folded and settled") {
            guard try await isFolded() else { return false }
            return try await count(
                "decision WHERE settled_at IS NULL AND verdict <> 'hold'") == 0
        }
        let verdict = try await ServeProcess.run(
            ["replay", "verify", "--decisions", "--database-url", place.postgres.url],
            directory: place.directory)
        #expect(verdict.code == 0, "\(verdict.output)")
    }
}
