import CPostgres
import Glibc

/// Makes connections with a patience for each server, on a thread of its own: everything blocks.
///
/// libpq's own blocking connect is not used. It says neither which of several servers did not
/// answer nor the SQLSTATE of one that refuses, and has no patience for the session's setup.
struct Dial {
    let configuration: ConnectionConfiguration
    let record: ConnectionRecord
    let options: [String: String]

    /// - Throws: when the URL cannot be read.
    init(
        _ configuration: ConnectionConfiguration, _ record: ConnectionRecord
    ) throws(PostgresError) {
        let string = ConnectionString(configuration.url)
        // libpq would quote what it does not understand, which may be a password.
        if let complaint = string.complaint {
            throw .cannotConnect(detail: "the database's URL \(complaint)")
        }
        self.configuration = configuration
        self.record = record
        options = string.options
    }

    /// For each address, the session's setup aside.
    var patience: Duration {
        let given = options["connect_timeout"] ?? ServerAddress.environment("PGCONNECT_TIMEOUT")
        let seconds = given.flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil }
        return .seconds(seconds ?? configuration.connectTimeoutSeconds)
    }

    /// The first that lets us in and is what is wanted; of several that take writes, while it is
    /// not known which is in use, the one with the newest timeline.
    func connect() throws(PostgresError) -> ConnectionHandle {
        let servers = ServerAddress.all(options)
        var failures: [PostgresError] = []
        for server in record.order(servers) {
            for address in server.resolved {
                do throws(PostgresError) {
                    let found = try open(server, address, amongMany: servers.count > 1)
                    let handle = record.mustChoose ? newest(found, among: servers) : found
                    if let refusal = record.admit(handle.writable) {
                        failures.append(refusal)
                        continue
                    }
                    return handle
                } catch {
                    if error == .timedOut { record.noteUnreachable(server.name) }
                    failures.append(explained(error, address))
                }
            }
        }
        throw Self.together(failures)
    }

    /// A session that is set up.
    /// - Parameter time: for the connection alone; nil for the patience.
    /// - Throws: `timedOut` where nobody answers in time; likewise below.
    func open(
        _ server: ServerAddress, _ address: ServerAddress, amongMany: Bool,
        within time: Duration? = nil
    ) throws(PostgresError) -> ConnectionHandle {
        let handle = try connect(to: address, amongMany: amongMany, within: time)
        handle.serverListed = server.name
        try handle.setUp(configuration)
        return handle
    }

    func connect(
        to address: ServerAddress, amongMany: Bool, within time: Duration? = nil
    ) throws(PostgresError) -> ConnectionHandle {
        let settings = settings(amongMany) + address.settings
        let deadline = ContinuousClock.now + (time ?? patience)
        guard let pointer = Self.start(settings) else {
            throw .cannotConnect(detail: "out of memory")
        }
        let handle = ConnectionHandle(pointer, address)
        // So that a refusal names its SQLSTATE, which no language changes.
        PQsetErrorVerbosity(pointer, PQERRORS_VERBOSE)
        var next = PGRES_POLLING_WRITING
        while next != PGRES_POLLING_OK {
            guard next != PGRES_POLLING_FAILED, PQstatus(pointer) != CONNECTION_BAD else {
                throw Self.refusal(ConnectionHandle.text(of: pointer))
            }
            let events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT
            guard handle.waits(for: events, until: deadline) else { throw .timedOut }
            next = PQconnectPoll(pointer)
        }
        PQsetErrorVerbosity(pointer, PQERRORS_DEFAULT)
        handle.readNotices()
        return handle
    }

    /// Later ones beat those of the URL.
    private func settings(_ amongMany: Bool) -> [(String, String)] {
        var settings = [("dbname", configuration.url)]
        if let user = configuration.user { settings.append(("user", user)) }
        settings.append(("fallback_application_name", configuration.applicationName))
        settings.append(("client_encoding", "UTF8"))
        // A service file may say any of the rest, and these would beat it.
        guard options["service"] == nil, ServerAddress.environment("PGSERVICE") == nil else {
            return settings
        }
        for (key, value) in Self.defaults where options[key] == nil {
            settings.append((key, value))
        }
        if amongMany, options["target_session_attrs"] == nil,
            ServerAddress.environment("PGTARGETSESSIONATTRS") == nil
        {
            settings.append(("target_session_attrs", "read-write"))
        }
        return settings
    }

    /// A network that swallows is found out within about ten seconds, whether something was sent
    /// or not. A server that hangs is not: its kernel answers.
    private static let defaults = [
        ("keepalives_idle", "5"), ("keepalives_interval", "2"), ("keepalives_count", "3"),
        ("tcp_user_timeout", "10000"),
    ]

    static func start(_ settings: [(String, String)]) -> OpaquePointer? {
        let keywords = settings.map { strdup($0.0) }
        let values = settings.map { strdup($0.1) }
        defer { for text in keywords + values { free(text) } }
        let keywordPointers = keywords.map { UnsafePointer($0) } + [nil]
        let valuePointers = values.map { UnsafePointer($0) } + [nil]
        return PQconnectStartParams(keywordPointers, valuePointers, 1)
    }

    private func explained(_ error: PostgresError, _ address: ServerAddress) -> PostgresError {
        guard error == .timedOut else { return error }
        return .cannotConnect(detail: "\(address.name) did not answer within \(patience)")
    }

    /// One that refused for a reason of its own says most; else what each said.
    private static func together(_ failures: [PostgresError]) -> PostgresError {
        if failures.count == 1 { return failures[0] }
        let refused = failures.first { if case .notAdmitted = $0 { true } else { false } }
        if let refused { return refused }
        let details = failures.map(\.connectingDetail).joined(separator: "; ")
        return .cannotConnect(detail: String(details.prefix(Limits.messageCharactersMax)))
    }

    /// What libpq says about a connection that came to nothing, in its verbose way.
    private static func refusal(_ lines: [String]) -> PostgresError {
        // "connection to server at … failed: FATAL:  53300: sorry, too many clients already"
        let shown = lines.filter { !$0.hasPrefix("LOCATION:") }
        let code = #/:  (?<state>[0-9A-Z]{5}): /#
        let match = shown.lazy.compactMap { $0.firstMatch(of: code) }.first
        let text = shown.map { $0.replacing(code) { _ in ": " } }.joined(separator: "; ")
        let message = String(text.prefix(Limits.messageCharactersMax))
        guard let match else { return .cannotConnect(detail: message) }
        return .notAdmitted(ServerError(sqlState: String(match.state), message: message))
    }
}
