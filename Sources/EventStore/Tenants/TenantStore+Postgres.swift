import Domain
import Postgres

extension TenantStore {
    static func postgres(_ pool: Pool) -> TenantStore {
        TenantStore(
            ensure: { (name) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await ensure(name, pool)
                }
            },
            all: { () async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await pool.query("SELECT id, name FROM tenant ORDER BY id")
                        .decoded(Tenant.init)
                }
            },
            addKey: { (tenant, sha256, scopes) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    _ = try await pool.query(
                        "INSERT INTO api_key (tenant, sha256, scopes) VALUES ($1, $2, $3)",
                        [
                            .tenant(tenant), .bytea(sha256),
                            .texts(scopes.map(\.rawValue).sorted()),
                        ])
                }
            },
            grant: { (sha256) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await pool.query(findKey, [.bytea(sha256)]).decoded(KeyGrant.init).first
                }
            })
    }

    /// Two that create the same tenant at once both find it afterwards.
    private static func ensure(
        _ name: String, _ pool: Pool
    ) async throws(PostgresError) -> Tenant {
        let results = try await pool.batch([
            Statement(create, [.text(name)]),
            Statement("SELECT id, name FROM tenant WHERE name = $1", [.text(name)]),
        ])
        guard let tenant = try results[1].decoded(Tenant.init).first else {
            throw .decoding(column: "tenant", expected: "a row")
        }
        return tenant
    }

    private static let create = """
        WITH created AS (
            INSERT INTO tenant (name) SELECT $1 WHERE NOT EXISTS (
                SELECT FROM tenant WHERE name = $1
            )
            ON CONFLICT ON CONSTRAINT tenant_name_is_unique DO NOTHING RETURNING id
        ), headed AS (
            INSERT INTO log_head (tenant) SELECT id FROM created
        )
        INSERT INTO projection_checkpoint (tenant) SELECT id FROM created
        """

    private static let findKey = """
        SELECT t.id, t.name, k.scopes FROM api_key k JOIN tenant t ON t.id = k.tenant
        WHERE k.sha256 = $1
        """
}

extension Tenant {
    fileprivate init(_ row: Row) throws(PostgresError) {
        self.init(id: try row.tenant(0), name: try row.get(1))
    }
}

extension KeyGrant {
    /// A scope that this program does not know (any more) grants nothing.
    fileprivate init(_ row: Row) throws(PostgresError) {
        let scopes = try row.get(2, as: ColumnArray<String>.self).values
        self.init(tenant: try Tenant(row), scopes: Set(scopes.compactMap(Scope.init)))
    }
}
