import Postgres

/// A database whose URL names several hosts, of which one should take writes.
extension Database {
    /// Looks again and again which hosts take writes, until the task is cancelled. If one has a
    /// newer timeline than the one in use, the pools go there.
    public func watchHosts() async {
        while true {
            try? await Task.sleep(for: Self.hostsInterval)
            guard !Task.isCancelled else { return }
            // What cannot be asked is known from the calls that fail.
            _ = try? await pool.writableServers()
        }
    }

    /// Host and port of the server that answers.
    public var server: String { record.current.server ?? "" }

    /// Why no log can be chosen; nil while one host at most takes writes, as far as was seen when
    /// the first session began.
    public var hostsComplaint: String? {
        let writable = record.current.writable ?? []
        guard writable.count > 1 else { return nil }
        let names = writable.map { "\($0.name) (timeline \($0.timeline))" }
            .joined(separator: " and ")
        return "\(names) take writes, and only one of them can be the log: "
            + "\(WritableServer.remedy), and run this again"
    }

    /// Each look is a session with each host. An old primary is to be found before the nodes are
    /// restarted, and what is recorded on it is lost.
    private static let hostsInterval = Duration.seconds(15)
}
