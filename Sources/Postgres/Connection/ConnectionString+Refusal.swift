import CPostgres

extension ConnectionString {
    /// What libpq refuses of it before it asks a server, so that trying again is of no use, without
    /// the value; nil when it would ask one.
    public var refusal: String? {
        // What names servers elsewhere would have them asked here.
        guard options["service"] == nil, ServerAddress.environment("PGSERVICE") == nil,
            ServerAddress.environment("PGHOSTADDR") == nil
        else { return nil }
        return ServerAddress.all(options).lazy.compactMap { refusal(of: $0) }.first
    }

    /// libpq's parser takes any value; it looks at them when it begins to connect, here to a socket
    /// that is not there.
    private func refusal(of server: ServerAddress) -> String? {
        // Neither a user nor a password is to be looked up.
        var settings = ["user": "-", "password": "-"].merging(options) { $1 }
        let isWhole = server.host == nil && server.address == nil
        let count = isWhole ? ServerAddress.count(options) : 1
        settings["host"] = Array(repeating: Self.nowhere, count: max(count, 1))
            .joined(separator: ",")
        settings["port"] = isWhole ? options["port"] : server.port
        for name in ["hostaddr", "dbname"] { settings[name] = nil }
        guard let pointer = Dial.start(settings.map { ($0.key, $0.value) }) else { return nil }
        defer { PQfinish(pointer) }
        guard PQstatus(pointer) == CONNECTION_BAD else { return nil }
        let text = ConnectionHandle.message(of: pointer)
        if text.contains(Self.nowhere) { return nil }
        return "has a value that libpq refuses: " + text.replacing(#/".*"/#, with: "…")
    }

    private static let nowhere = "/islet-looks-at-options"
}
