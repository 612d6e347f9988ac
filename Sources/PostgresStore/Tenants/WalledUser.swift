public import Postgres

/// A database user from whom row-level security hides the rows of tenants, although it asks for
/// those of all: every list would be empty, and nothing would be wrong.
public struct WalledUser: Hashable, Sendable {
    /// As it has logged in, or what it has become.
    public var name: String
    /// Who owns the tables, and sees all rows.
    public var owner: String
    /// It is the owner, or may act for it, and one of the tables is somebody else's.
    public var isOwner = false

    /// - Returns: nil when the pool's user sees the rows, or there are no tables yet.
    public static func look(_ pool: Pool) async throws(PostgresError) -> WalledUser? {
        guard let row = try await pool.query(question).first else { return nil }
        return WalledUser(name: try row.get(0), owner: try row.get(1), isOwner: try row.get(2))
    }

    /// For somebody who has logged in so.
    public var explanation: String {
        "row-level security hides the tenants' rows from the database user \(name): "
            + (isOwner
                ? "the table tenant belongs to another user; islet doctor says which command gives "
                    + "it back to \(owner)"
                : "log in as \(owner), who owns the tables")
    }

    /// The owner passes the walls, even where they are forced on it. A user with a schema of its
    /// own name finds the table in a later one of its search path, where no owner is looked for.
    private static let question = """
        SELECT current_user::text, pg_get_userbyid(coalesce(o.id, c.relowner))::text,
            pg_has_role(coalesce(o.id, c.relowner), 'USAGE')
        FROM pg_class c CROSS JOIN (SELECT \(TablesOwner.id)) o (id)
        WHERE c.oid = to_regclass('tenant') AND row_security_active(c.oid)
            AND NOT pg_has_role(c.relowner, 'USAGE')
        """
}
