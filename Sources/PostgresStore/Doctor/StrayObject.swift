import Postgres

/// One of Islet's tables, or of its functions and procedures, that another role owns than the rest,
/// although whose the rest is may not act for that role. Sequences and indexes go with their
/// tables.
public struct StrayObject: Hashable, Sendable {
    public enum Kind: String, Sendable {
        case table = "TABLE"
        case routine = "ROUTINE"
    }

    public var kind: Kind
    /// As SQL names it, like the owners.
    public var name: String
    public var owner: String
    /// Of the rest.
    public var rightfulOwner: String

    /// What gives it back, as SQL.
    var returning: String { "ALTER \(kind.rawValue) \(name) OWNER TO \(rightfulOwner)" }

    static func look(_ pool: Pool) async throws(PostgresError) -> [StrayObject] {
        try await pool.query(question, [.texts(Schema.objectNames.sorted().map { $0 })]).decoded {
            (row) throws(PostgresError) -> StrayObject in
            StrayObject(
                kind: try row.bool(0) ? .table : .routine, name: try row.text(1),
                owner: try row.text(2), rightfulOwner: try row.text(3))
        }
    }

    /// $1 the names of what is Islet's. Others' things in the schema stay theirs, and so does what
    /// would work with the rights of its new owner. What the login may do says nothing of the
    /// nodes.
    private static let question = """
        SELECT o.is_table, o.name, quote_ident(pg_get_userbyid(o.owner)),
            quote_ident(pg_get_userbyid(m.id))
        FROM (SELECT \(TablesOwner.id)) m (id)
        CROSS JOIN LATERAL (
            SELECT true, c.oid::regclass::text, c.relowner FROM pg_class c
            WHERE c.relnamespace = current_schema()::regnamespace
                AND c.relkind IN ('r', 'p') AND c.relname = ANY ($1::text[])
            UNION ALL
            SELECT false, p.oid::regprocedure::text, p.proowner FROM pg_proc p
            WHERE p.pronamespace = current_schema()::regnamespace AND p.proname = ANY ($1::text[])
                AND (NOT p.prosecdef
                    OR p.proname IN ('note_move', 'skip_while_fenced') AND p.pronargs = 0)
        ) o (is_table, name, owner)
        WHERE o.owner <> m.id AND NOT pg_has_role(m.id, o.owner, 'USAGE')
        ORDER BY 3, o.is_table DESC, o.name
        """
}
