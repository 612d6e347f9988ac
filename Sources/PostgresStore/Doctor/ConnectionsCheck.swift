import Postgres

/// What Postgres lets in against what nodes may open.
enum ConnectionsCheck {
    static let check = DoctorCheck("connections") { (scene) async throws(PostgresError) in
        let budget = try await read(scene)
        return .init(budget.findings, fine: budget.summary)
    }

    private static func read(
        _ scene: DoctorScene
    ) async throws(PostgresError) -> FleetConnections {
        let row = try await scene.pool.query(server).row(with: "max_connections")
        let (most, kept): (Int, Int) = (try row.get(0), try row.get(1))
        let perNode = scene.connectionsPerNode
        var limits = [
            FleetConnections.Limit(
                name: "DATABASE \(try row.get(5, as: String.self))",
                most: limit(try row.get(2)), perNode: perNode.all)
        ]
        let serving = scene.visitors == nil ? perNode.all : perNode.service
        limits.append(try await role(scene.pool, perNode: serving))
        if let visitors = scene.visitors {
            limits.append(try await role(visitors, perNode: perNode.visitor))
        }
        let seenNodes: Int = try row.get(6)
        let largest = try await scene.pool.query(holders).decoded { (row) throws(PostgresError) in
            FleetConnections.Holder(
                user: try row.text(0), program: try row.text(1), count: try row.get(2))
        }
        return FleetConnections(
            available: most - kept, open: try row.get(3), openHere: try row.get(4),
            nodes: scene.nodes ?? max(1, seenNodes), perNode: perNode, limits: limits,
            largest: largest.first)
    }

    private static func role(
        _ pool: Pool, perNode: Int
    ) async throws(PostgresError) -> FleetConnections.Limit {
        let row = try await pool.query(roleQuestion).row(with: "rolconnlimit")
        return FleetConnections.Limit(
            name: "ROLE \(try row.get(0, as: String.self))", most: limit(try row.get(1)),
            perNode: perNode)
    }

    private static func limit(_ stored: Int64) -> Int? { stored < 0 ? nil : Int(stored) }

    /// Of others' sessions everybody may see whose they are, and only some that they are clients.
    private static let isClient = """
        a.usesysid IS NOT NULL AND a.datid IS NOT NULL
            AND coalesce(a.backend_type, 'client backend') = 'client backend'
        """

    private static let holders = """
        SELECT a.usename::text, coalesce(nullif(a.application_name, ''), 'programs without a name'),
            count(*)
        FROM pg_stat_activity a WHERE \(isClient)
        GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 1
        """

    /// `reserved_connections` came with Postgres 16. A node has its name behind `islet/`, and a
    /// command has none.
    private static let server = """
        SELECT current_setting('max_connections')::int8,
            current_setting('superuser_reserved_connections')::int8
                + coalesce(current_setting('reserved_connections', true), '0')::int8,
            d.datconnlimit::int8,
            (SELECT count(*) FROM pg_stat_activity a WHERE \(isClient)),
            (SELECT count(*) FROM pg_stat_activity a
                WHERE \(isClient) AND a.application_name LIKE 'islet%'),
            quote_ident(d.datname),
            (SELECT count(DISTINCT a.application_name) FROM pg_stat_activity a
                WHERE a.datid = d.oid AND a.application_name LIKE 'islet/%')
        FROM pg_database d WHERE d.datname = current_database()
        """

    private static let roleQuestion = """
        SELECT quote_ident(r.rolname), r.rolconnlimit::int8
        FROM pg_roles r WHERE r.rolname = session_user
        """
}
