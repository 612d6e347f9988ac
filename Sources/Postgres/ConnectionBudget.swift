/// How many connections a program may open, and whether the server has them to give.
public struct ConnectionBudget: Hashable, Sendable {
    /// Of all programs.
    public var serverMax: Int
    /// Of these, for superusers and the like only.
    public var reserved: Int
    /// Of the role and of the database that is asked, as SQL names them.
    public var role = ""
    public var database = ""
    /// `CONNECTION LIMIT` of the role; nil when it has none.
    public var roleMax: Int?
    /// The same of the database.
    public var databaseMax: Int?
    /// Superusers are not bound by their role's limit and may use what is reserved.
    public var isSuperuser: Bool = false
    /// Open now, without those of the program that asks: of anybody, of the same role, and of the
    /// same database.
    public var othersOpen: Int
    public var roleOthersOpen: Int = 0
    public var databaseOthersOpen: Int = 0

    public enum Verdict: Hashable, Sendable {
        case fits
        /// It fits by itself, but not beside what others have open now. `sum` is the arithmetic in
        /// words.
        case tight(sum: String)
        /// Not even alone.
        case tooMuch(sum: String)
    }

    /// - Parameter wanted: what the program may open at most.
    public func verdict(wanting wanted: Int) -> Verdict {
        var limits = [
            Limit(
                count: serverMax - (isSuperuser ? 0 : reserved), taken: othersOpen,
                words: isSuperuser
                    ? "max_connections \(serverMax)"
                    : "max_connections \(serverMax) less \(reserved) reserved")
        ]
        let others = [
            (roleMax, roleOthersOpen, "the role's"),
            (databaseMax, databaseOthersOpen, "the database's"),
        ]
        for case (let count?, let taken, let whose) in others where !isSuperuser {
            limits.append(Limit(count: count, taken: taken, words: "\(whose) limit of \(count)"))
        }
        if let limit = limits.first(where: { wanted > $0.count }) {
            return .tooMuch(
                sum: "this node may open \(wanted) connections, and \(limit.words) leaves "
                    + "\(max(0, limit.count)) for all")
        }
        if let limit = limits.first(where: { wanted > $0.count - $0.taken }) {
            return .tight(
                sum: "this node may open \(wanted) connections, and \(limit.words), less "
                    + "\(limit.taken) that others have open, leaves "
                    + "\(max(0, limit.count - limit.taken))")
        }
        return .fits
    }

    private struct Limit {
        var count: Int
        var taken: Int
        var words: String
    }

    /// Asks the server, as whom the pool logs in.
    public static func read(_ pool: Pool) async throws(PostgresError) -> ConnectionBudget {
        let row = try await pool.query(query).row(with: "max_connections")
        func limit(_ column: Int) throws(PostgresError) -> Int? {
            let found: Int = try row.get(column)
            return found < 0 ? nil : found
        }
        let open = pool.record.current.connectionsOpen.values.reduce(0, +)
        let own = pool.record.current.connectionsOpen[pool.configuration.name] ?? 0
        return ConnectionBudget(
            serverMax: try row.get(0), reserved: try row.get(1), role: try row.text(8),
            database: try row.text(9), roleMax: try limit(2), databaseMax: try limit(3),
            isSuperuser: try row.get(4),
            othersOpen: max(0, try row.get(5, as: Int.self) - open),
            roleOthersOpen: max(0, try row.get(6, as: Int.self) - own),
            databaseOthersOpen: max(0, try row.get(7, as: Int.self) - open))
    }

    /// What belongs to a client has a database; nothing else is shown of other users' sessions.
    private static let query = """
        SELECT current_setting('max_connections')::int8,
            current_setting('superuser_reserved_connections')::int8
                + coalesce(current_setting('reserved_connections', true)::int8, 0),
            r.rolconnlimit::int8, d.datconnlimit::int8, r.rolsuper,
            a.everybody, a.role, a.database, quote_ident(r.rolname), quote_ident(d.datname)
        FROM pg_roles r, pg_database d, (
            SELECT count(*) AS everybody,
                count(*) FILTER (WHERE usename = session_user) AS role,
                count(*) FILTER (WHERE datname = current_database()) AS database
            FROM pg_stat_activity WHERE datid IS NOT NULL AND usesysid IS NOT NULL
        ) a
        WHERE r.rolname = session_user AND d.datname = current_database()
        """
}
