public import Postgres

/// Where row-level security and privileges on tables with tenants' rows are not as
/// `raise_tenant_walls()` makes them. A dump that is restored without privileges lacks a part.
public struct TenantWalls: Hashable, Sendable {
    /// A table that is not as it should be.
    public struct Gap: Hashable, Sendable {
        /// It and its owner as SQL names them.
        public var table: String
        public var owner: String
        /// Row-level security does not protect it.
        public var isOpen = false
        /// Row-level security hides a tenant's rows from the tenant too, or all from the owner.
        public var isHiding = false
        /// Tenants' questions lack a privilege.
        public var isRefused = false
        /// Its owner lacks one.
        public var isRefusedToOwner = false
        /// Rows are hidden from the one who asks, or it may not read them.
        public var isHiddenFromAsker = false
        /// What drops the policies that `raise_tenant_walls()` does not make, as SQL; nil without.
        public var dropping: String?

        public init(table: String, owner: String) {
            self.table = table
            self.owner = owner
        }
    }

    /// A user who cannot become islet_tenant.
    public struct Outsider: Hashable, Sendable {
        /// As SQL names it.
        public var name: String
        /// Tenants' requests run as it; otherwise it raises the walls.
        public var asksForTenants: Bool
    }

    /// Tenants' questions are asked as islet_tenant.
    public var hasRole: Bool
    public var gaps: [Gap]
    /// None where the role is not used.
    public var outsiders: [Outsider] = []

    public init(hasRole: Bool, gaps: [Gap] = []) {
        self.hasRole = hasRole
        self.gaps = gaps
    }

    /// - Parameter visitors: of the user as whom tenants' requests run; nil for the pool's.
    public static func look(
        _ pool: Pool, visitors: Pool? = nil
    ) async throws(PostgresError) -> TenantWalls {
        let role = try await pool.query("SELECT tenant_role() = 'islet_tenant'").first
        let gaps = try await pool.query(question).decoded {
            (row) throws(PostgresError) -> Gap in
            var gap = Gap(table: try row.text(0), owner: try row.text(1))
            gap.isOpen = try row.bool(2)
            gap.isHiding = try row.bool(3)
            gap.isRefused = try row.bool(4)
            gap.isRefusedToOwner = try row.bool(5)
            gap.isHiddenFromAsker = try row.bool(6)
            gap.dropping = try row.optionalText(7)
            return gap
        }
        var walls = TenantWalls(hasRole: try role?.bool(0) ?? false, gaps: gaps)
        if walls.hasRole {
            let visitor = try await name(of: visitors)
            walls.outsiders = try await pool.query(membership, [.text(visitor)]).decoded {
                (row) throws(PostgresError) in
                Outsider(name: try row.text(0), asksForTenants: try row.bool(1))
            }
        }
        return walls
    }

    /// Of one who is not let in the name may be known, and another check says why.
    private static func name(of visitors: Pool?) async throws(PostgresError) -> String? {
        guard let visitors else { return nil }
        do throws(PostgresError) {
            return try await visitors.query("SELECT session_user::text").first?.text(0)
        } catch .notAdmitted {
            return visitors.configuration.connection.user
        }
    }

    /// Whether a tenant or the owner of the tables cannot see rows that are there.
    public var hideRows: Bool {
        gaps.contains { $0.isHiding || $0.isRefused || $0.isRefusedToOwner }
            || outsiders.contains(where: \.asksForTenants) || !hiddenLog.isEmpty
    }

    /// Tables that say whether the log is whole, and of which the one who asks does not see all:
    /// what is hidden looks lost.
    public var hiddenLog: [String] {
        gaps.filter { $0.isHiddenFromAsker && Self.logTables.contains($0.table) }.map(\.table)
    }

    private static let logTables: Set = [
        "delivery_state", "event", "log_archive", "log_head", "projection_checkpoint", "tenant",
        "webhook",
    ]

    /// $1 the visitor or null. The service is who asks, if it may act for the owner; a superuser
    /// looks for somebody else.
    private static let membership = """
        SELECT quote_ident(r.rolname), bool_or(u.asks)
        FROM (
            SELECT CASE WHEN r.rolsuper OR NOT pg_has_role(o.id, 'USAGE') THEN o.id ELSE r.oid END
            FROM (SELECT \(TablesOwner.id)) o (id) JOIN pg_roles r ON r.rolname = current_user
        ) s (id)
        CROSS JOIN LATERAL (
            VALUES (s.id, $1::text IS NULL), (to_regrole(quote_ident($1::text))::oid, true)
        ) u (id, asks)
        JOIN pg_roles r ON r.oid = u.id
        WHERE NOT pg_has_role(r.oid, to_regrole('islet_tenant')::oid, 'MEMBER')
        GROUP BY r.rolname ORDER BY 2 DESC, 1
        """

    /// Conditions are known by what they depend on: to write one out, Postgres waits for those who
    /// have locked its table. Policies for other users, such as those of reports, concern none of
    /// Islet's questions.
    private static let question = """
        SELECT * FROM (
            SELECT quote_ident(c.relname) AS name, quote_ident(pg_get_userbyid(c.relowner)),
                NOT c.relrowsecurity OR NOT m.has_role AND NOT c.relforcerowsecurity OR s.is_wide
                    AS is_open,
                c.relrowsecurity AND (
                    m.has_role AND c.relforcerowsecurity
                    OR NOT s.has_wall OR NOT m.has_role AND NOT s.lets_owner_pass
                    OR s.is_narrow) AS is_hiding,
                c.relrowsecurity AND m.has_role AND t.access IS DISTINCT FROM 'none'
                    AND NOT coalesce(
                        has_schema_privilege(m.role, c.relnamespace, 'USAGE')
                        AND has_table_privilege(m.role, c.oid, 'SELECT')
                        AND (t.access IS NULL OR has_table_privilege(m.role, c.oid, 'INSERT')
                            AND has_table_privilege(m.role, c.oid, 'UPDATE')), false)
                    AS is_refused,
                NOT (has_table_privilege(c.relowner, c.oid, 'SELECT')
                    AND has_table_privilege(c.relowner, c.oid, 'INSERT')
                    AND has_table_privilege(c.relowner, c.oid, 'UPDATE')
                    AND has_table_privilege(c.relowner, c.oid, 'DELETE')) AS is_refused_to_owner,
                NOT has_table_privilege(c.oid, 'SELECT')
                    OR row_security_active(c.oid) AND (NOT s.lets_asker_pass OR s.is_narrow)
                    AS is_hidden_from_asker,
                s.dropping
            FROM pg_class c
            JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
            LEFT JOIN tenant_access t ON t.relname = c.relname
            CROSS JOIN (
                SELECT tenant_role() = 'islet_tenant', to_regrole('islet_tenant')::oid,
                    to_regrole(quote_ident(current_user))::oid
            ) m (has_role, role, asker)
            CROSS JOIN LATERAL (
                SELECT coalesce(bool_or(is_wall), false) AS has_wall,
                    coalesce(bool_or(is_passage AND polroles && ARRAY[c.relowner, m.asker]), false)
                        AS lets_owner_pass,
                    coalesce(bool_or(is_passage AND EXISTS (
                        SELECT FROM unnest(polroles) r WHERE pg_has_role(m.asker, r, 'USAGE')
                    )), false) AS lets_asker_pass,
                    coalesce(bool_or(is_ours AND polpermissive AND NOT is_wall AND NOT is_passage),
                        false) AS is_wide,
                    coalesce(bool_or(is_ours AND NOT polpermissive), false) AS is_narrow,
                    string_agg(format('DROP POLICY IF EXISTS %I ON %I', polname, c.relname),
                        '; ' ORDER BY polname)
                        FILTER (
                            WHERE is_ours AND polname NOT IN ('tenant_wall', 'owner_passes')
                        ) AS dropping
                FROM (
                    SELECT p.*,
                        p.polpermissive AND p.polcmd = '*' AND p.polwithcheck IS NULL
                            AND EXISTS (
                                SELECT FROM pg_depend d
                                WHERE d.classid = 'pg_policy'::regclass AND d.objid = p.oid
                                    AND d.refclassid = 'pg_proc'::regclass
                                    AND d.refobjid = to_regproc('visible_tenant')) AS is_usual,
                        EXISTS (
                            SELECT FROM pg_depend d
                            WHERE d.classid = 'pg_policy'::regclass AND d.objid = p.oid
                                AND d.refclassid = 'pg_class'::regclass AND d.refobjid = c.oid
                                AND d.refobjsubid = a.attnum) AS asks_column,
                        EXISTS (
                            SELECT FROM unnest(p.polroles) r
                            WHERE r = 0 OR pg_has_role(m.role, r, 'USAGE')
                                OR pg_has_role(c.relowner, r, 'USAGE')
                                OR pg_has_role(m.asker, r, 'USAGE')) AS is_ours
                    FROM pg_policy p WHERE p.polrelid = c.oid
                ) p CROSS JOIN LATERAL (
                    SELECT polname = 'tenant_wall' AND is_usual AND asks_column
                            AND polroles = '{0}',
                        polname = 'owner_passes' AND is_usual AND polroles <> '{0}'
                ) k (is_wall, is_passage)
            ) s
            WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
                AND NOT c.relispartition
                AND a.attname = CASE c.relname WHEN 'tenant' THEN 'id' ELSE 'tenant' END
        ) w
        WHERE is_open OR is_hiding OR is_refused OR is_refused_to_owner OR is_hidden_from_asker
        ORDER BY name
        """
}
