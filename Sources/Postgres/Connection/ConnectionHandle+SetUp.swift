import CPostgres

/// What a session begins with.
extension ConnectionHandle {
    func setUp(_ configuration: ConnectionConfiguration) throws(PostgresError) {
        // A password or notice never gets here: these are fixed words and integers.
        var settings = Self.meanings + Self.patience + Self.habits
        if !startOptions.contains("search_path") {
            settings.append(("search_path", Self.searchPath))
        }
        if let millis = configuration.statementTimeoutMillis {
            settings.append(("statement_timeout", "\(millis)"))
        }
        if let millis = configuration.lockTimeoutMillis {
            settings.append(("lock_timeout", "\(millis)"))
        }
        if configuration.isReadOnly { settings.append(("default_transaction_read_only", "on")) }
        let sql = settings.map { "SET \($0) = \($1); " }.joined()
        let answer = try greet(sql)
        backendPID = answer.first.flatMap { $0 }.flatMap { Int32($0) } ?? 0
        guard answer.count == 4, let cluster = answer[1], let startedAt = answer[3],
            let timeline = answer[2].flatMap({ Int64($0) })
        else { return }
        writable = WritableServer(
            name: serverListed, cluster: cluster, timeline: timeline, startedAt: startedAt)
    }

    /// The settings, and who answers to them. Where nobody may ask which cluster it is, it is asked
    /// for the process alone.
    private func greet(_ settings: String) throws(PostgresError) -> [String?] {
        let time = Duration.seconds(Limits.sessionSetupSeconds)
        do throws(PostgresError) {
            return try exchange(settings + Self.server, within: time)
        } catch {
            guard error != .timedOut, let pointer, PQstatus(pointer) == CONNECTION_OK else {
                throw error
            }
        }
        return try exchange(settings + "SELECT pg_backend_pid()", within: time)
    }

    /// The control file shows a new timeline only later, so it comes from the name of the WAL file.
    private static let server = """
        SELECT pg_backend_pid(), system_identifier, CASE WHEN NOT pg_is_in_recovery() THEN
            ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint END,
            extract(epoch FROM pg_postmaster_start_time())
        FROM pg_control_system()
        """

    /// Postgres's own. What a role or a database has instead would lead to other tables, or to
    /// none.
    static let searchPath = #""$user", public"#

    /// What SQL means and what the server reports must not depend on what somebody has set for a
    /// role or a database: texts would be read otherwise, questions behind row-level security
    /// refused, transactions turned down, and the warning not heard that a commit waits for no
    /// standby.
    private static let meanings = [
        ("TimeZone", "'UTC'"), ("row_security", "on"), ("standard_conforming_strings", "on"),
        ("default_transaction_isolation", "'read committed'"), ("client_min_messages", "warning"),
    ]

    /// A client that stands still must not keep what it has locked, nor a server that sends it
    /// something waiting.
    private static let patience = [
        ("idle_in_transaction_session_timeout", "'\(Limits.transactionRestSecondsMax)s'"),
        ("tcp_user_timeout", "'\(Limits.transactionRestSecondsMax)s'"),
    ]

    private static let habits = [
        // The values of a statement that fails would stand in the server's log: events, tokens.
        ("log_parameter_max_length_on_error", "0"),
        // A plan that is forced by settings looks expensive, and Postgres would compile it for each
        // of a thousand calls a second.
        ("jit", "off"),
    ]

    /// The server's options that the user of this program gives: in the URL, in a service file or
    /// in `PGOPTIONS`. Written as the settings are, whichever way they came.
    private var startOptions: String {
        guard let pointer, let list = PQconninfo(pointer) else { return "" }
        let options = ConnectionString.values(of: list)["options"] ?? ""
        return options.lowercased().replacing("-", with: "_")
    }
}
