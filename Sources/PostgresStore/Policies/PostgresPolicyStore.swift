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
            let rows = try await wall.pool.act(
                Self.put,
                [
                    .tenant(tenant), .text(kind), .int4(expected.map(Int32.init)),
                    .text(String(decoding: document, as: UTF8.self)),
                ])
            guard let row = rows.first else { return .conflict }
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

    private static let put = """
        SELECT version, from_position, is_new FROM put_policy($1, $2, $3, $4::json)
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
