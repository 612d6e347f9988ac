public import Domain
import EventLoop
import Postgres

extension TestDatabase {
    /// A table with tenants' rows and the column that names the tenant.
    public struct TenantTable: Hashable, Sendable {
        public var name: String
        public var column: String
    }

    /// Every table with tenants' rows.
    public func tenantTables() async throws -> [TenantTable] {
        let rows = try await pool.query(
            """
            SELECT c.relname::text, a.attname::text
            FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
                AND NOT c.relispartition
                AND a.attname = CASE c.relname WHEN 'tenant' THEN 'id' ELSE 'tenant' END
            ORDER BY 1
            """)
        return try rows.map { TenantTable(name: try $0.get(0), column: try $0.get(1)) }
    }

    /// Everything that is kept of a tenant, as text for comparing; one line per table.
    public func contents(of tenant: TenantID, except: Set<String> = []) async throws -> [String] {
        let tables = try await tenantTables().filter { !except.contains($0.name) }
        let contents = tables.map { table in
            """
            SELECT '\(table.name): ' || coalesce(string_agg(x::text, ';' ORDER BY x::text), '')
            FROM \(table.name) x WHERE \(table.column) = $1
            """
        }
        // One question for all of them: tests ask for it hundreds of times.
        let sql = contents.joined(separator: " UNION ALL ") + " ORDER BY 1"
        return try await pool.query(sql, [.int4(tenant.rawValue)]).map { try $0.get(0) }
    }

    /// Returns when a statement waits for a lock.
    public func waitForLock() async throws {
        try await waitUntil {
            try await !pool.query(
                """
                SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'
                    AND datname = current_database()
                """
            ).isEmpty
        }
    }
}
