/// Whose Islet's tables should be, as SQL: of the roles that own the main ones the login, then
/// `islet_service`, then the one that owns the most. A superuser owns what slips have made.
enum TablesOwner {
    static let id = """
        (
            SELECT r.oid FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
            WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
                AND c.relname IN ('tenant', 'api_key', 'log_head', 'event', 'policy', 'snapshot',
                    'decision', 'registration', 'delivery_state')
            GROUP BY r.oid, r.rolname, r.rolsuper
            ORDER BY (r.rolname = current_user AND NOT r.rolsuper) DESC,
                r.rolname = '\(DatabaseRoles.service)' DESC, count(*) DESC, r.oid
            LIMIT 1
        )
        """
}
