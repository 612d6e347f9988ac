import Postgres

/// Where a setting comes from that new sessions of this user in this database begin with, as SQL
/// names it.
public struct SettingOrigin: Hashable, Sendable {
    /// Nil: for every user.
    public var role: String?
    /// Nil: in every database.
    public var database: String?

    /// For the end of what is found.
    var place: String {
        (role.map { " for the user \($0)" } ?? "") + (database.map { " in \($0)" } ?? "")
    }

    /// SQL that takes it back; nil where it is the server's.
    func reset(_ setting: String) -> String? {
        let names = [role.map { "ROLE \($0)" }, database.map { "DATABASE \($0)" }]
        let owner = names.compactMap(\.self).joined(separator: " IN ")
        return owner.isEmpty ? nil : "ALTER \(owner) RESET \(setting)"
    }

    static func resetOfServer(_ setting: String) -> String {
        "psql -c 'ALTER SYSTEM RESET \(setting)' -c 'SELECT pg_reload_conf()', and look in "
            + "postgresql.conf and in options of --database-url"
    }

    static func look(
        _ setting: String, _ pool: Pool
    ) async throws(PostgresError) -> (value: String, origin: SettingOrigin) {
        let row = try await pool.query(question, [.text(setting)]).row(with: setting)
        return (
            try row.text(0),
            SettingOrigin(role: try row.optionalText(1), database: try row.optionalText(2))
        )
    }

    /// What a new session begins with: the doctor's own has some settings of its own. Of several
    /// places the one that counts.
    private static let question = """
        SELECT g.reset_val, o.role, o.name FROM pg_settings g LEFT JOIN (
            SELECT quote_ident(r.rolname) AS role, quote_ident(d.datname) AS name
            FROM pg_db_role_setting s
            LEFT JOIN pg_roles r ON r.oid = s.setrole
            LEFT JOIN pg_database d ON d.oid = s.setdatabase
            WHERE coalesce(r.rolname = session_user, s.setrole = 0)
                AND coalesce(d.datname = current_database(), s.setdatabase = 0)
                AND EXISTS (
                    SELECT FROM unnest(s.setconfig) c (line) WHERE starts_with(c.line, $1 || '=')
                )
            ORDER BY s.setrole <> 0 DESC, s.setdatabase <> 0 DESC LIMIT 1
        ) o ON true
        WHERE g.name = $1
        """
}
