import Domain
import EventStore
import Foundation
import Postgres

struct PostgresPolicyStore: PolicyStore {
    let wall: TenantScopedPool

    func put(_ tenant: TenantID, _ kind: String, _ expected: Int?, _ document: Data)
        async throws(EventStoreError) -> PolicyPut
    {
        try await storing { () async throws(PostgresError) in
            // Not behind the wall: who asks for a tenant may change nothing there, and the
            // statement can touch no other.
            let results = try await wall.pool.act([
                Statement(
                    Self.put,
                    [
                        .tenant(tenant), .text(kind), .int4(expected.map(Int32.init)),
                        .text(String(decoding: document, as: UTF8.self)),
                    ]), .notify(.phonesWaiting(tenant)),
            ])
            guard let row = results[0].first else { return .conflict }
            let version = Int(try row.get(0, as: Int32.self))
            let fromPosition = try row.get(1, as: Int64.self)
            return try row.get(2, as: Bool.self)
                ? .done(version: version, fromPosition: fromPosition)
                : .known(version: version, fromPosition: fromPosition)
        }
    }

    func all(_ tenant: TenantID) async throws(EventStoreError) -> [StoredPolicy] {
        try await wall.rows(as: tenant, StoredPolicy.read, [.tenant(tenant)], StoredPolicy.init)
    }

    /// Where quiet hours may hold starts, what is only planned is looked at again: they may be over
    /// now. The second is for claims under way, which know the policy before: see
    /// `StartQueries.finish`.
    private static let put = """
        WITH put AS MATERIALIZED (
            SELECT version, from_position, is_new FROM put_policy($1, $2, $3, $4::json)
        ), woken AS (
            UPDATE activity_audience a SET due_at = clock_timestamp() + interval '1 s'
            FROM put p, snapshot s
            WHERE p.is_new AND a.tenant = $1 AND a.closed_at IS NULL
                AND coalesce(a.due_at <= clock_timestamp(), true)
                AND s.tenant = $1 AND s.activity_id = a.activity_id AND s.generation = (
                    SELECT c.generation FROM projection_checkpoint c WHERE c.tenant = $1
                ) AND s.kind = $2 AND s.phase = 'scheduled' AND EXISTS (
                    SELECT FROM policy q
                    WHERE q.tenant = $1 AND q.kind = $2 AND q.document -> 'quietHours' IS NOT NULL
                )
        )
        SELECT version, from_position, is_new FROM put
        """
}

extension StoredPolicy: RowDecodable {
    static let read = """
        SELECT kind, version, from_position, document, put_at FROM policy
        WHERE tenant = $1 ORDER BY kind, version
        """

    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            kind: row.get(), version: Int(row.get(as: Int32.self)),
            fromPosition: row.get(), document: row.get(), putAt: row.moment())
    }
}
