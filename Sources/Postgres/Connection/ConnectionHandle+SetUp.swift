import CPostgres

/// What a session begins with.
extension ConnectionHandle {
    func setUp(_ configuration: ConnectionConfiguration) throws(Dial.Failure) {
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
        let answer = try exchange(
            sql + "SELECT pg_backend_pid()", within: .seconds(Limits.sessionSetupSeconds))
        backendPID = answer.flatMap { Int32($0) } ?? 0
    }

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
        defer { PQconninfoFree(list) }
        var entry = list
        while let keyword = entry.pointee.keyword {
            if String(cString: keyword) == "options", let value = entry.pointee.val {
                return String(cString: value).lowercased().replacing("-", with: "_")
            }
            entry += 1
        }
        return ""
    }
}
