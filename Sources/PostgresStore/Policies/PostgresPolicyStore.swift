import Domain
import EventStore
import Foundation
import Postgres

struct PostgresPolicyStore: PolicyStore {
    let tenantPool: TenantScopedPool

    func put(
        _ tenant: TenantID, _ kind: String, _ expected: Int?, _ document: Data, _ bytesMax: Int
    ) async throws(EventStoreError) -> PolicyPut {
        try await withStoreErrors { () async throws(PostgresError) in
            // Not behind the wall: who asks for a tenant may change nothing there, and the
            // statement can touch no other.
            let results = try await tenantPool.pool.act([
                Statement(
                    Self.put,
                    [
                        .tenant(tenant), .text(kind), .int4(expected.map(Int32.init)),
                        .text(String(decoding: document, as: UTF8.self)), .count(bytesMax),
                    ]), .notify(.phonesWaiting, tenant),
            ])
            guard let row = results[0].first else { return .conflict }
            if try row.get(3, as: Bool.self) { return .full }
            let version: Int = try row.get(0)
            let fromPosition = try row.get(1, as: Int64.self)
            return try row.get(2, as: Bool.self)
                ? .done(version: version, fromPosition: fromPosition)
                : .known(version: version, fromPosition: fromPosition)
        }
    }

    func inForce(
        _ tenant: TenantID, _ positions: ClosedRange<Int64>
    ) async throws(EventStoreError) -> [StoredPolicy] {
        try await tenantPool.rows(
            as: tenant, StoredPolicy.readInForce, Parameter.stretch(tenant, positions),
            StoredPolicy.init)
    }

    func versions(
        _ tenant: TenantID, _ kind: String, _ newest: Int, _ limit: Int
    ) async throws(EventStoreError) -> [StoredPolicy] {
        try await tenantPool.rows(
            as: tenant, Self.versions,
            [
                .tenant(tenant), .text(kind), .int8(Int64(newest)), .count(limit),
                .count(Limits.policyPageBytesMax),
            ], StoredPolicy.init)
    }

    /// $1 tenant, $2 kind, $3 newest version, $4 limit, $5 bytes, before which the last one begins.
    private static let versions = """
        SELECT \(StoredPolicy.columns) FROM (
            SELECT n.*, sum(octet_length(n.document::text)) OVER (ORDER BY n.version DESC)
                - octet_length(n.document::text) AS bytes_before
            FROM (
                SELECT * FROM policy WHERE tenant = $1 AND kind = $2 AND version <= $3
                ORDER BY version DESC LIMIT $4
            ) n
        ) p WHERE p.bytes_before < $5 ORDER BY p.version DESC
        """

    /// Under the lock of the head there is room or not. What is there already needs none.
    ///
    /// Where quiet hours may hold starts, what is only planned is looked at again: they may be over
    /// now. The second is for claims under way, which know the policy before: see
    /// `StartQueries.finish`. Older versions hold nothing any more: those after them did this.
    private static let put = """
        WITH room AS MATERIALIZED (
            SELECT h.policy_bytes + greatest(
                octet_length($4::text), \(StoredPolicy.countedBytesMin)
            ) <= $5 OR EXISTS (
                SELECT FROM (
                    SELECT p.document FROM policy p WHERE p.tenant = $1 AND p.kind = $2
                    ORDER BY p.version DESC LIMIT 1
                ) newest WHERE newest.document::text = $4::text
            ) AS is_enough
            FROM log_head h WHERE h.tenant = $1 FOR UPDATE
        ), put AS MATERIALIZED (
            SELECT p.version, p.from_position, p.is_new
            FROM (
                SELECT $1::int4 AS tenant WHERE coalesce((SELECT is_enough FROM room), true)
                OFFSET 0
            ) t CROSS JOIN LATERAL put_policy(t.tenant, $2, $3, $4::text::json) p
        ), woken AS (
            UPDATE activity_audience a SET due_at = clock_timestamp() + interval '1 s'
            FROM put p, snapshot s
            WHERE p.is_new AND a.tenant = $1 AND a.closed_at IS NULL
                AND coalesce(a.due_at <= clock_timestamp(), true)
                AND s.tenant = $1 AND s.activity_id = a.activity_id AND s.generation = (
                    SELECT c.generation FROM projection_checkpoint c WHERE c.tenant = $1
                ) AND s.kind = $2 AND s.phase = 'scheduled' AND EXISTS (
                    SELECT FROM (
                        SELECT q.document FROM policy q WHERE q.tenant = $1 AND q.kind = $2
                        ORDER BY q.version DESC LIMIT 10
                    ) q WHERE q.document -> 'quietHours' IS NOT NULL
                )
        )
        SELECT version, from_position, is_new, false FROM put
        UNION ALL SELECT 0, 0, false, true FROM room WHERE NOT is_enough
        """
}

extension StoredPolicy: RowDecodable {
    /// Columns of `policy p`, as `init(from:)` reads them.
    fileprivate static let columns = "p.kind, p.version, p.from_position, p.document, p.put_at"

    /// $1 tenant, $2 first and $3 last position. Left out is what the next version takes over from
    /// before any of these: with another position at once, or by the first.
    fileprivate static let readInForce = """
        SELECT \(columns) FROM policy p
        WHERE p.tenant = $1 AND p.from_position <= $3 AND NOT EXISTS (
            SELECT FROM policy n
            WHERE n.tenant = p.tenant AND n.kind = p.kind AND n.version = p.version + 1
                AND n.from_position <= greatest(p.from_position, $2)
        )
        ORDER BY p.kind, p.version
        """

    /// Those that events of some positions are judged by, by kind and version.
    static func inForce(
        _ connection: Connection, _ tenant: TenantID, _ positions: ClosedRange<Int64>
    ) async throws(PostgresError) -> [StoredPolicy] {
        try await connection.query(readInForce, Parameter.stretch(tenant, positions))
            .decoded(StoredPolicy.init)
    }

    /// Those that an activity's events are judged by.
    /// - Parameter events: in order of version.
    static func inForce(
        _ connection: Connection, _ tenant: TenantID, for events: [RecordedEvent]
    ) async throws(PostgresError) -> TenantPolicies {
        guard let first = events.first?.position, let last = events.last?.position else {
            return .none
        }
        return TenantPolicies(try await inForce(connection, tenant, first...last))
    }

    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            kind: row.get(), version: row.get(), fromPosition: row.get(), document: row.get(),
            putAt: row.moment())
    }
}
