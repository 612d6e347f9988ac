/// Whose Islet's tables should be, as SQL: of the roles that own the main ones `islet_service`,
/// then the one that owns the most, then the login, which may own one by a slip. So may a
/// superuser, who comes last.
enum TablesOwner {
    static let id = """
        (
            SELECT r.oid FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
            WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
                AND c.relname IN ('tenant', 'api_key', 'log_head', 'event', 'policy', 'snapshot',
                    'decision', 'registration', 'delivery_state')
            GROUP BY r.oid, r.rolname, r.rolsuper
            ORDER BY r.rolname = '\(DatabaseRoles.service)' DESC, r.rolsuper, count(*) DESC,
                r.rolname = current_user DESC, r.oid
            LIMIT 1
        )
        """
}
