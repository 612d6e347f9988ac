import Domain
import EventStore
import Postgres

struct PostgresTenantStore: TenantStore {
    let pool: Pool
    let lookups: BatchedLookups<[UInt8], Result<KeyLookup, EventStoreError>>

    init(pool: Pool) {
        self.pool = pool
        lookups = BatchedLookups(pool: pool, read: Self.readLookups)
    }

    /// Two that create the same tenant at once both find it afterwards.
    func ensure(_ name: String) async throws(EventStoreError) -> Tenant {
        try await withStoreErrors { () async throws(PostgresError) in
            let results = try await pool.act([
                Statement(Self.create, [.text(name)]),
                Statement("SELECT id, name FROM tenant WHERE name = $1", [.text(name)]),
            ])
            return try Tenant(results[1].row(with: "tenant"))
        }
    }

    func all() async throws(EventStoreError) -> [Tenant] {
        try await pool.rows(Self.tenants, [], Tenant.init)
    }

    func createdAt(_ tenant: TenantID) async throws(EventStoreError) -> Moment? {
        try await asked(
            try await pool.query(
                "SELECT created_at FROM tenant WHERE id = $1", [.tenant(tenant)]
            ).first?.moment(0))
    }

    func limits(_ tenant: TenantID) async throws(EventStoreError) -> TenantLimits {
        try await pool.rows(Self.readLimits, [.tenant(tenant)], TenantLimits.init).first ?? .none
    }

    func setLimits(_ tenant: TenantID, _ limits: TenantLimits) async throws(EventStoreError) {
        _ = try await asked(
            try await pool.act(Self.writeLimits, [.tenant(tenant)] + Parameter.limits(limits)))
    }

    func usage(_ isNew: Bool) async throws(EventStoreError) -> [TenantID: TenantUsage] {
        try await withStoreErrors { () async throws(PostgresError) in
            if isNew {
                _ = try await pool.query(
                    TenantUsage.measure, [.count(Limits.usageSampleEvents)])
            }
            var usage: [TenantID: TenantUsage] = [:]
            for row in try await pool.query(TenantUsage.read) {
                usage[try row.tenant(0)] = try TenantUsage(row, from: 1)
            }
            return usage
        }
    }

    static let tenants = "SELECT id, name FROM tenant ORDER BY id"

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

    private static let readLimits = """
        SELECT \(TenantLimits.columns) FROM tenant_limit l WHERE tenant = $1
        """

    private static let writeLimits = """
        INSERT INTO tenant_limit AS l (tenant, \(TenantLimits.names.joined(separator: ", ")))
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT ON CONSTRAINT tenant_limit_key DO UPDATE SET
            \(TenantLimits.names.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
        """
}

extension Tenant: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(id: row.tenant(), name: row.get())
    }
}

extension TenantLimits: RowDecodable {
    /// For `init(_:from:)`, of the table under the name `l`.
    static let columns = names.map { "l.\($0)" }.joined(separator: ", ")

    fileprivate static let names = [
        "requests_per_second", "events_per_second", "body_bytes_max", "batch_events_max",
        "bytes_per_second", "stored_events_max", "stored_bytes_max",
    ]

    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            requestsPerSecond: row.optional(), eventsPerSecond: row.optional(),
            bodyBytesMax: row.optional(), batchEventsMax: row.optional(),
            bytesPerSecond: row.optional(), storedEventsMax: row.optional(),
            storedBytesMax: row.optional())
    }
}

extension Parameter {
    fileprivate static func limits(_ limits: TenantLimits) -> [Parameter] {
        [
            limits.requestsPerSecond, limits.eventsPerSecond, limits.bodyBytesMax,
            limits.batchEventsMax,
        ].map { .int4($0.map { Int32(clamping: $0) }) }
            + [limits.bytesPerSecond, limits.storedEventsMax, limits.storedBytesMax].map {
                .int8($0.map { Int64($0) })
            }
    }
}
