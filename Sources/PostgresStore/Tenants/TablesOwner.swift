/// Whose Islet's tables are, as SQL: the role that owns most of them, so that the others can be
/// measured by it.
enum TablesOwner {
    static let id = """
        (
            SELECT mode() WITHIN GROUP (ORDER BY c.relowner) FROM pg_class c
            WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
        )
        """
}
