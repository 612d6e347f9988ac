public import Postgres
public import Terminal

extension ConnectionRecord.Diagnostic {
    /// One line for each change, without anything secret: hosts and ports only. What may come with
    /// each call has a line every ten seconds.
    public func write(to log: Log) {
        switch self {
        case .lost(let server, let detail):
            var fields = ["why": detail]
            fields["server"] = server
            log(.warning, "a connection to Postgres is lost", fields)
        case .reached(let server, let before):
            guard let before else {
                return log(.info, "Postgres is reached", ["server": server])
            }
            let isSame = before == server
            log(
                isSame ? .info : .warning,
                isSame ? "Postgres is reached again" : "Postgres is reached on another server",
                isSame ? ["server": server] : ["server": server, "before": before])
        case .refused(let error):
            log.rarely(
                .warning, "Postgres refuses another connection",
                ["state": error.sqlState, "why": error.message], key: error.sqlState)
        case .severalWritable(let servers):
            log(
                .error, "several hosts of the database take writes, and one of them should",
                [
                    "newest": servers.first?.words ?? "",
                    "others": servers.dropFirst().map(\.words).joined(separator: ", "),
                    "what to do": WritableServer.remedy,
                ])
        }
    }
}

extension WritableServer {
    fileprivate var words: String { "\(name) on timeline \(timeline)" }
}

extension PostgresError {
    /// Whether a server that starts should wait for this to pass.
    var isWorthWaiting: Bool { isTransient && self != .notReplicated }

    /// As `ConnectionPlan` finds too: where a server is too large for its database, waiting does
    /// not help.
    var isShortOfConnections: Bool {
        guard case .notAdmitted(let serverError) = self else { return false }
        return serverError.sqlState == SQLState.tooManyConnections
    }
}
