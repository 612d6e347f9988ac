import EventStore
import Postgres

/// Whether new sessions may write. That all hosts are standbys says `HostsCheck`.
public enum ReadOnlyCheck {
    static let check = DoctorCheck("writes") { (scene) async throws(PostgresError) in
        guard let row = try await scene.pool.query(question).first else {
            return .unseen("no answer")
        }
        guard try row.text(0) == "on" else { return .fine("are taken") }
        return .findings([
            finding(
                Origin(role: try row.optionalText(1), database: try row.optionalText(2)))
        ])
    }

    /// Where `default_transaction_read_only` is set, as SQL names it.
    public struct Origin: Hashable, Sendable {
        /// Nil: for every user.
        public var role: String?
        /// Nil: in every database.
        public var database: String?
    }

    public static func finding(_ origin: Origin) -> Finding {
        Finding(
            what: "the database is read-only (default_transaction_read_only = on\(place(origin)))",
            meaning: "Every POST is answered 503, and nothing is folded or sent.",
            remedy: remedy(origin))
    }

    private static func place(_ origin: Origin) -> String {
        switch (origin.role, origin.database) {
        case (nil, nil): ""
        case (let role?, nil): " for the user \(role)"
        case (nil, let database?): " in \(database)"
        case (let role?, let database?): " for the user \(role) in \(database)"
        }
    }

    /// The session that takes the setting back begins with it.
    private static let writing = "psql -c 'SET default_transaction_read_only = off'"

    private static func remedy(_ origin: Origin) -> String {
        let setting = "RESET default_transaction_read_only"
        switch (origin.role, origin.database) {
        case (nil, nil):
            return "if the disk is full, make room first: managed Postgres sets it then and takes "
                + "it back by itself. Else psql -c 'ALTER SYSTEM \(setting)' -c 'SELECT "
                + "pg_reload_conf()', and look in postgresql.conf and in options of --database-url"
        case (let role?, nil): return "\(writing) -c 'ALTER ROLE \(role) \(setting)'"
        case (nil, let database?): return "\(writing) -c 'ALTER DATABASE \(database) \(setting)'"
        case (let role?, let database?):
            return "\(writing) -c 'ALTER ROLE \(role) IN DATABASE \(database) \(setting)'"
        }
    }

    /// What a new session begins with: the doctor's own is read-only in any case. Of several
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
                    SELECT FROM unnest(s.setconfig) c (line)
                    WHERE starts_with(c.line, 'default_transaction_read_only=')
                )
            ORDER BY s.setrole <> 0 DESC, s.setdatabase <> 0 DESC LIMIT 1
        ) o ON true
        WHERE g.name = 'default_transaction_read_only'
        """
}
