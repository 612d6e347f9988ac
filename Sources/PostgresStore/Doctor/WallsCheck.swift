import Postgres

/// Whether every table with tenants' rows is walled off, and the role that asks for them is there.
public enum WallsCheck {
    static let check = DoctorCheck("walls", needs: .tables) {
        (scene) async throws(PostgresError) in
        let open = try await scene.pool.query(openTables).decoded { (row) throws(PostgresError) in
            try row.text(0)
        }
        let role =
            try await scene.pool.query("SELECT tenant_role() = 'islet_tenant'")
            .first?.bool(0) ?? false
        return .init(
            findings(open: open, hasRole: role),
            fine: "row-level security holds for every table with tenants' rows")
    }

    public static func findings(open: [String], hasRole: Bool) -> [Finding] {
        var findings: [Finding] = []
        if !open.isEmpty {
            findings.append(
                Finding(
                    what: "row-level security is off for \(open.joined(separator: ", "))",
                    meaning: "If a query forgot its tenant, it would show others' rows.",
                    remedy: "as the owner of the tables: psql -c 'SELECT raise_tenant_walls()'"))
        }
        if !hasRole {
            findings.append(
                Finding(
                    what: "tenants' questions are asked as the owner of the tables",
                    meaning: "The role islet_tenant is missing, so that only the forced policies "
                        + "hold them back.",
                    remedy: "have an administrator run Sources/PostgresStore/Roles/roles.sql in "
                        + "this database, then psql -c 'SELECT raise_tenant_walls()'"))
        }
        return findings
    }

    private static let openTables = """
        SELECT c.relname FROM pg_class c
        JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
            AND a.attname = CASE c.relname WHEN 'tenant' THEN 'id' ELSE 'tenant' END
            AND NOT c.relrowsecurity
        ORDER BY c.relname
        """
}
