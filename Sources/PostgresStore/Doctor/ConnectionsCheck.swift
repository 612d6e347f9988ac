import EventStore
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
        guard let row = try await scene.pool.query(server).first else {
            throw .decoding(column: "max_connections", expected: "a row")
        }
        let (most, kept) = (try row.get(0, as: Int64.self), try row.get(1, as: Int64.self))
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
        let seenNodes = try row.get(6, as: Int64.self)
        return FleetConnections(
            available: Int(most - kept), open: Int(try row.get(3, as: Int64.self)),
            openHere: Int(try row.get(4, as: Int64.self)),
            nodes: scene.nodes ?? max(1, Int(seenNodes)), perNode: perNode, limits: limits)
    }

    private static func role(
        _ pool: Pool, perNode: Int
    ) async throws(PostgresError) -> FleetConnections.Limit {
        guard let row = try await pool.query(roleQuestion).first else {
            throw .decoding(column: "rolconnlimit", expected: "a row")
        }
        return FleetConnections.Limit(
            name: "ROLE \(try row.get(0, as: String.self))", most: limit(try row.get(1)),
            perNode: perNode)
    }

    private static func limit(_ stored: Int64) -> Int? { stored < 0 ? nil : Int(stored) }

    /// `reserved_connections` came with Postgres 16. Of others' sessions everybody may see whose
    /// they are; a node has its name behind `islet/`, and a command has none.
    private static let server = """
        SELECT current_setting('max_connections')::int8,
            current_setting('superuser_reserved_connections')::int8
                + coalesce(current_setting('reserved_connections', true), '0')::int8,
            d.datconnlimit::int8,
            (SELECT count(*) FROM pg_stat_activity a WHERE a.backend_type = 'client backend'),
            (SELECT count(*) FROM pg_stat_activity a WHERE a.backend_type = 'client backend'
                AND a.application_name LIKE 'islet%'),
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
