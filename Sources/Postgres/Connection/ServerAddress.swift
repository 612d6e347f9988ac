import CPostgres
import Glibc

/// One of the servers that a connection string names.
struct ServerAddress: Hashable, Sendable {
    /// As it stands in the string, for libpq; nil for libpq's own default.
    var host: String?
    /// In numbers, where it is known or the name has several.
    var address: String?
    var port: String?

    /// For logs and for remembering; not secret.
    var name: String {
        let place = host ?? address ?? "local"
        let numbers = host == nil || address == nil ? "" : " (\(address ?? ""))"
        return "\(place):\(port ?? Self.usualPort)\(numbers)"
    }

    /// What beats the string's own words.
    var settings: [(String, String)] {
        [("host", host), ("hostaddr", address), ("port", port)].compactMap { key, value in
            value.map { (key, $0) }
        }
    }

    /// Those of a connection string, each by itself. One that chooses among several in a way that
    /// only libpq knows, or whose lists do not fit together, is left to libpq as a whole.
    static func all(_ options: [String: String]) -> [ServerAddress] {
        let hosts = list(options["host"] ?? environment("PGHOST"))
        let addresses = list(options["hostaddr"] ?? environment("PGHOSTADDR"))
        let ports = list(options["port"] ?? environment("PGPORT"))
        let count = Self.count(options)
        let isPlain =
            (hosts.isEmpty || hosts.count == count)
            && (addresses.isEmpty || addresses.count == count)
            // A setting that is empty would leave the string's whole list in force.
            && !(hosts + addresses).contains("")
            && (ports.count <= 1 || ports.count == count)
        let attributes = options["target_session_attrs"] ?? environment("PGTARGETSESSIONATTRS")
        guard count > 0, isPlain, options["service"] == nil, environment("PGSERVICE") == nil,
            count == 1 || attributes != "prefer-standby"
        else { return [ServerAddress(host: nil, address: nil, port: nil)] }
        func part(_ list: [String], _ index: Int) -> String? {
            list.isEmpty ? nil : list.count == 1 ? list[0] : list[index]
        }
        return (0..<count).map {
            ServerAddress(
                host: part(hosts, $0), address: part(addresses, $0),
                port: part(ports, $0).map { $0.isEmpty ? usualPort : $0 })
        }
    }

    /// How many servers a connection string names.
    static func count(_ options: [String: String]) -> Int {
        max(
            list(options["host"] ?? environment("PGHOST")).count,
            list(options["hostaddr"] ?? environment("PGHOSTADDR")).count)
    }

    /// What libpq takes for a host without a port in a list (`DEF_PGPORT`). Said here, since a
    /// setting that is empty would leave the whole list of the string in force.
    private static let usualPort = "5432"

    /// One for each address of a name that has several: each has a patience of its own. Looks the
    /// name up, which blocks.
    var resolved: [ServerAddress] {
        guard address == nil, let host, !host.isEmpty, !host.hasPrefix("/"), !host.hasPrefix("@")
        else { return [self] }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &first) == 0 else { return [self] }
        defer { freeaddrinfo(first) }
        var found: [ServerAddress] = []
        var next = first
        while let entry = next {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            if getnameinfo(
                entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, socklen_t(text.count), nil,
                0, NI_NUMERICHOST) == 0
            {
                let numbers = text.withUnsafeBufferPointer { buffer in
                    buffer.baseAddress.map { String(cString: $0) }
                }
                found.append(ServerAddress(host: host, address: numbers, port: port))
            }
            next = entry.pointee.ai_next
        }
        return found.count > 1 ? found : [self]
    }

    static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func list(_ text: String?) -> [String] {
        guard let text, !text.isEmpty else { return [] }
        return text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
}
