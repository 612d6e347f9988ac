import Domain
import EventStore
import Postgres
import TestSupport
import Testing

struct `What a tenant keeps of phones` {
    @Test func `is all of it together, of that tenant, and counted no further than is asked`()
        async throws
    {
        let database = try await TestDatabase.make()
        let (one, other) = (
            try await database.store.tenants.ensure("one").id,
            try await database.store.tenants.ensure("other").id
        )
        let tenant = one.rawValue
        try await database.pool.withConnection { (connection) async throws(PostgresError) in
            try await connection.script(
                """
                INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id)
                SELECT \(tenant), 'a', n::text, 'sandbox', 'com.example'
                FROM generate_series(1, 3) n;
                UPDATE registration SET closed_at = now(), closed_by = 'removed'
                WHERE push_token = '1';
                INSERT INTO channel_listener (
                    tenant, activity_id, installation, bundle_id, asked_at
                ) VALUES (\(tenant), 'a', 'phone', 'com.example', now());
                INSERT INTO start_device (tenant, installation, bundle_id)
                VALUES (\(tenant), 'phone', 'com.example');
                INSERT INTO activity_audience (tenant, activity_id, topics)
                VALUES (\(tenant), 'a', '{customer:42}');
                INSERT INTO channel (
                    tenant, activity_id, bundle_id, environment, storage, state, wanted_at
                ) VALUES (\(tenant), 'a', 'com.example', 'sandbox', 'none', 'wanted', now());
                """)
        }
        let registrations = database.store.registrations
        #expect(try await registrations.kept(one, 100) == 7)
        #expect(try await registrations.kept(one, 4) == 4)
        #expect(try await registrations.kept(other, 100) == 0)
    }
}
