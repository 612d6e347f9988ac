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
        let budget = try await ConnectionBudget.read(scene.pool)
        let row = try await scene.pool.query(sessions).row(with: "count")
        let perNode = scene.connectionsPerNode
        let serving = scene.visitors == nil ? perNode.all : perNode.service
        var limits = [
            FleetConnections.Limit(
                name: "DATABASE \(budget.database)", most: budget.databaseMax,
                perNode: perNode.all),
            FleetConnections.Limit(
                name: "ROLE \(budget.role)", most: budget.roleMax, perNode: serving),
        ]
        if let visitors = scene.visitors {
            do throws(PostgresError) {
                let own = try await ConnectionBudget.read(visitors)
                limits.append(
                    FleetConnections.Limit(
                        name: "ROLE \(own.role)", most: own.roleMax, perNode: perNode.visitor))
            } catch .notAdmitted {
                // What `RolesCheck` finds. The rest of the arithmetic is right without it.
            }
        }
        let seenNodes: Int = try row.get(2)
        let largest = try await scene.pool.query(owners).decoded { (row) throws(PostgresError) in
            FleetConnections.Owner(
                user: try row.text(0), program: try row.text(1), count: try row.get(2))
        }
        return FleetConnections(
            available: budget.serverMax - budget.reserved, open: try row.get(0),
            openHere: try row.get(1), nodes: scene.nodes ?? max(1, seenNodes), perNode: perNode,
            limits: limits, largest: largest.first)
    }

    /// Of others' sessions everybody may see whose they are, and only some that they are clients.
    private static let isClient = """
        a.usesysid IS NOT NULL AND a.datid IS NOT NULL
            AND coalesce(a.backend_type, 'client backend') = 'client backend'
        """

    private static let owners = """
        SELECT a.usename::text, coalesce(nullif(a.application_name, ''), 'programs without a name'),
            count(*)
        FROM pg_stat_activity a WHERE \(isClient)
        GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 1
        """

    /// All clients, those of Islet, and nodes of this database. A node has its name behind
    /// `islet/`, and a command has none.
    private static let sessions = """
        SELECT count(*) FILTER (WHERE \(isClient)),
            count(*) FILTER (WHERE \(isClient) AND a.application_name LIKE 'islet%'),
            count(DISTINCT a.application_name) FILTER (
                WHERE a.datname = current_database() AND a.application_name LIKE 'islet/%')
        FROM pg_stat_activity a
        """
}
