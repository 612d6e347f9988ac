import Postgres
import TestSupport
import Testing

/// They are SECURITY DEFINER: what they do is done with the rights of the tables' owner.
struct `Functions that work as the owner of the tables` {
    @Test(arguments: DatabaseUser.allCases)
    func `look into temporary tables last, and are for nobody else`(
        user: DatabaseUser
    ) async throws {
        let database = try await user.database()
        let rows = try await database.pool.query(
            """
            SELECT p.oid::regprocedure::text,
                'search_path=public, pg_temp' = ANY (coalesce(p.proconfig, '{}'))
                    AND NOT has_function_privilege('public', p.oid, 'EXECUTE')
            FROM pg_proc p WHERE p.prosecdef AND p.pronamespace = 'public'::regnamespace
            ORDER BY 1
            """)
        let names = try rows.map { try $0.get(0, as: String.self) }
        #expect(names == ["note_move()", "skip_while_fenced()"])
        for row in rows {
            let name = try row.get(0, as: String.self)
            #expect(
                try row.get(1, as: Bool.self),
                "\(name): name pg_temp last in its search_path, and revoke EXECUTE from PUBLIC")
        }
    }

    /// Something that stands in for a table of Islet's, and a column with a cast of its own: they
    /// do what they like when they are read.
    private static func seizure(_ trigger: String) -> String {
        """
        CREATE FUNCTION pg_temp.seize() RETURNS boolean LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION 'this runs as %', current_user;
        END
        $$;
        CREATE TEMPORARY VIEW tenant_move AS
            SELECT 1 AS tenant, 'gone' AS state, now() AS closed_until, true AS is_fenced
            WHERE pg_temp.seize();
        GRANT ALL ON tenant_move TO PUBLIC;
        CREATE TYPE pg_temp.lure AS ENUM ('1');
        CREATE FUNCTION pg_temp.seize(pg_temp.lure) RETURNS integer LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION 'this runs as %', current_user;
        END
        $$;
        CREATE CAST (pg_temp.lure AS integer) WITH FUNCTION pg_temp.seize(pg_temp.lure)
            AS IMPLICIT;
        CREATE TEMPORARY TABLE bait (tenant pg_temp.lure);
        CREATE TRIGGER note \(trigger);
        INSERT INTO bait VALUES ('1')
        """
    }

    @Test(
        arguments: [
            "AFTER INSERT ON bait FOR EACH ROW EXECUTE FUNCTION public.note_move('tenant')",
            "BEFORE INSERT ON bait FOR EACH ROW EXECUTE FUNCTION public.skip_while_fenced()",
        ], ["islet_visitor", "islet_tenant"])
    func `are closed to a visitor that lays out tables of its own`(
        trigger: String, role: String
    ) async throws {
        let database = try await TestDatabase.makeAsServed()
        let visitors = database.makeVisitors(connectionsMax: 1)
        func seize() async throws(PostgresError) {
            try await visitors.withConnection { (connection) async throws(PostgresError) in
                try await connection.script("SET LOCAL ROLE \(role); \(Self.seizure(trigger))")
            }
        }
        // As before somebody ran roles.sql again.
        try await database.letAllMakeTemporaryTables()
        let error = await #expect(throws: PostgresError.self) { try await seize() }
        #expect(String(describing: error).contains("permission denied for function"))

        // As in a dump that was restored without its privileges, or where all functions were
        // granted to somebody who reads.
        try await database.pool.withConnection { (connection) async throws(PostgresError) in
            try await connection.script(
                "GRANT EXECUTE ON FUNCTION note_move(), skip_while_fenced() TO PUBLIC")
        }
        let refusal = await #expect(throws: PostgresError.self) { try await seize() }
        #expect(String(describing: refusal).contains("is for the tables of its own schema"))
        await visitors.close()
    }
}
