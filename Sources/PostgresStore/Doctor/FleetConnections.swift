import Domain

/// Whether the connections that nodes may have fit into what Postgres lets in. Pure.
public struct FleetConnections: Hashable, Sendable {
    /// What one node may open.
    public struct Node: Hashable, Sendable {
        /// As the user who serves.
        public var service: Int
        /// As the user who asks what tenants ask; 0 without one of its own.
        public var visitor: Int

        public init(service: Int, visitor: Int) {
            self.service = service
            self.visitor = visitor
        }

        public var all: Int { service + visitor }
    }

    /// A limit of a user or of the database, and what is open under it.
    public struct Limit: Hashable, Sendable {
        public var name: String
        /// Nil when there is none.
        public var most: Int?
        /// What one node may add.
        public var perNode: Int
    }

    /// Sessions of one user and program.
    public struct Owner: Hashable, Sendable {
        public var user: String
        public var program: String
        public var count: Int
    }

    /// `max_connections`, without what superusers and others have kept for themselves.
    public var available: Int
    /// Open now, those of all programs.
    public var open: Int
    /// Of them, those of Islet's programs.
    public var openHere: Int
    public var nodes: Int
    public var perNode: Node
    /// Of users and of the database.
    public var limits: [Limit]
    /// Who has most of them open.
    public var largest: Owner?

    /// What nodes may open in all, beside what others have open.
    public var needed: Int { nodes * perNode.all + max(0, open - openHere) }

    public var summary: String {
        "\(open) of \(available) are open; \(nodes.counted("node")) may have "
            + "\(nodes * perNode.all)"
    }

    public var findings: [Finding] {
        var findings: [Finding] = []
        if needed > available {
            findings.append(
                Finding(
                    what: "\(nodes.counted("node")) may open \(nodes * perNode.all) "
                        + "connections and others have \(max(0, open - openHere)) open: more than "
                        + "the \(available) that Postgres lets in",
                    meaning: "Under load calls fail with \"too many clients already\", and so do "
                        + "commands on the command line.",
                    remedy: "psql -c 'ALTER SYSTEM SET max_connections = \(rounded(needed + 10))', "
                        + "then restart Postgres; or run fewer nodes"))
        }
        if open >= available - Self.spareMin {
            let most = largest.map {
                ", \($0.count) of them by \($0.program) as \($0.user)"
            }
            findings.append(
                Finding(
                    what: "\(open) of \(available) connections are open now\(most ?? "")",
                    meaning: "The next who connects may be turned away.",
                    remedy: "\(Self.whose) shows whose they are; end what is not needed"))
        }
        for limit in limits {
            guard let most = limit.most, nodes * limit.perNode > most else { continue }
            findings.append(
                Finding(
                    what: "\(limit.name) may have \(most) connections, and "
                        + "\(nodes.counted("node")) may open "
                        + "\(nodes * limit.perNode)",
                    meaning: "Calls fail with \"too many connections\" although Postgres has room.",
                    remedy: "psql -c 'ALTER \(limit.name) CONNECTION LIMIT "
                        + "\(rounded(nodes * limit.perNode + 10))'"))
        }
        return findings
    }

    static let whose =
        "psql -c 'SELECT usename, application_name, state, count(*) FROM pg_stat_activity GROUP BY "
        + "1, 2, 3 ORDER BY 4 DESC'"

    /// For the people who look after it all.
    private static let spareMin = 3

    /// People set limits in tens.
    private func rounded(_ count: Int) -> Int { (count + 9) / 10 * 10 }
}
