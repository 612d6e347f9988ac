import Postgres

/// What the users for tenants' questions, or everybody, may do where Islet's tables are, although
/// nothing needs it: `roles.sql` and the migrations take it away.
public struct SpareRights: Hashable, Sendable {
    /// A routine that works with its owner's rights, and that others may execute.
    public struct Definer: Hashable, Sendable {
        /// With its arguments, as SQL names it.
        public var routine: String
        /// One of the migrations made it.
        public var isOwn: Bool
        /// What closes it, as SQL.
        public var closing: String
    }

    /// Of the database.
    public var makesTemporaryTables = false
    /// Of the tables' schema.
    public var makesObjects = false
    public var definers: [Definer] = []

    static func look(_ pool: Pool) async throws(PostgresError) -> SpareRights {
        let making = try await pool.query(Self.making).row(with: "makes_temporary")
        let definers = try await pool.query(Self.definers).decoded {
            (row) throws(PostgresError) -> Definer in
            Definer(
                routine: try row.text(0), isOwn: try row.bool(1), closing: try row.text(2))
        }
        return SpareRights(
            makesTemporaryTables: try making.bool(0), makesObjects: try making.bool(1),
            definers: definers)
    }

    /// Only where roles.sql gave the tables to islet_service: who has one login for everything has
    /// not closed the database. The two users belong to the whole server.
    private static let making = """
        SELECT coalesce(bool_or(has_database_privilege(
                r.oid, current_database(), 'TEMPORARY')), false) AS makes_temporary,
            coalesce(bool_or(has_schema_privilege(r.oid, c.relnamespace, 'CREATE')), false)
        FROM pg_class c JOIN pg_roles r ON r.rolname IN ('islet_visitor', 'islet_tenant')
        WHERE c.oid = to_regclass('tenant') AND c.relowner = to_regrole('islet_service')
        """

    /// Those of extensions are theirs, and those that cannot do what the tables' owner can are
    /// others', unless one of the two users has left them.
    private static let definers = """
        SELECT p.oid::regprocedure::text, o.is_own,
            format('REVOKE EXECUTE ON ROUTINE %s FROM %s', p.oid::regprocedure,
                concat_ws(', ', 'PUBLIC', u.names))
        FROM pg_class c JOIN pg_proc p ON p.pronamespace = c.relnamespace AND p.prosecdef
        CROSS JOIN (
            SELECT array_agg(oid) AS ids, string_agg(rolname, ', ' ORDER BY rolname) AS names
            FROM pg_roles WHERE rolname IN ('islet_visitor', 'islet_tenant')
        ) u
        CROSS JOIN LATERAL (
            SELECT p.proname IN ('note_move', 'skip_while_fenced') AND p.pronargs = 0
                AND p.proowner = c.relowner
        ) o (is_own)
        WHERE c.oid = to_regclass('tenant')
            AND (has_function_privilege('public', p.oid, 'EXECUTE') OR EXISTS (
                SELECT FROM unnest(u.ids) r WHERE has_function_privilege(r, p.oid, 'EXECUTE')))
            AND (pg_has_role(p.proowner, c.relowner, 'USAGE') OR p.proowner = ANY (u.ids))
            AND NOT EXISTS (
                SELECT FROM pg_depend d
                WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
        ORDER BY 1
        """
}
