import EventStore
import Postgres

/// Whether the database has exactly this program's tables.
enum SchemaCheck {
    static let check = DoctorCheck("schema") { (scene) async throws(PostgresError) in
        do throws(PostgresError) {
            try await EventStore.migrator.check(scene.pool)
            return .fine("this program's")
        } catch {
            if case .migration(let refusal) = error { return .findings([finding(refusal)]) }
            guard case .server(let serverError) = error,
                serverError.sqlState == SQLState.insufficientPrivilege,
                let row = try await scene.pool.query(whose).first
            else { throw error }
            return .findings([
                WallsCheck.refusal(
                    serverError.message, owner: try row.text(0), user: try row.text(1),
                    isStray: try row.bool(2))
            ])
        }
    }

    private static let whose = """
        SELECT quote_ident(pg_get_userbyid(c.relowner)), quote_ident(current_user),
            coalesce(c.relowner <> o.id AND pg_has_role(o.id, 'USAGE'), false)
        FROM pg_class c CROSS JOIN (SELECT \(TablesOwner.id)) o (id)
        WHERE c.oid = to_regclass('islet_migration')
        """

    static func finding(_ refusal: MigrationRefusal) -> Finding {
        let remedy =
            switch refusal {
            case .databaseIsOlder: "islet migrate, or start islet serve, which does it by itself"
            case .databaseIsNewer: "run the program of that version, on every node"
            case .otherHistory:
                "islet events export with the program that made it, for each tenant; then "
                    + "islet events import into a new database"
            case .otherSchema(let schema):
                "add options=-csearch_path%3D\(schema) to --database-url, on every node"
            case .changed: "run the program that migrated it, or restore the database"
            }
        return Finding(
            what: refusal.description,
            meaning: "A node of this program does not start with this database.", remedy: remedy)
    }
}
