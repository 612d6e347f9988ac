import Domain
import EventStore
import Postgres
import PostgresStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `A store whose database was read-only for a time` {
    /// An administrator's word counts for sessions that begin after it: those that a node opens
    /// meanwhile must not outlive it.
    @Test func `records, folds and sends again soon after, whatever it tried meanwhile`()
        async throws
    {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("acme").id
        _ = try await database.store.log.append(tenant, [Samples.event("1")])
        let found = try await database.pool.query("SELECT quote_ident(current_database())")
        let name: String = try #require(found.first).get(0)
        _ = try await database.pool.query(
            "ALTER DATABASE \(name) SET default_transaction_read_only = on")

        let pool = database.makePool()
        let store = EventStore.postgres(pool: pool)
        let now = Moment(unixSeconds: 1_800_000_000)
        await #expect(throws: EventStoreError.self) {
            try await store.log.append(tenant, [Samples.event("2")])
        }
        await #expect(throws: EventStoreError.self) { try await Samples.foldAll(store) }
        // Opens the session of the claims.
        _ = try? await store.deliveries.claimNext(10, .all, now)
        let administrator = try await database.pool.openDedicated()
        _ = try await administrator.query("SET default_transaction_read_only = off")
        _ = try await administrator.query(
            "ALTER DATABASE \(name) RESET default_transaction_read_only")
        await administrator.close()

        // A node tries again and again; a session may refuse once before it is given up.
        try await waitUntil {
            (try? await store.log.append(tenant, [Samples.event("2")])) != nil
        }
        try await waitUntil { (try? await Samples.foldAll(store)) != nil }
        try await waitUntil {
            guard let claim = try? await store.deliveries.claimNext(10, .all, now).first else {
                return false
            }
            let outcome = LedgerRow.Outcome(
                carriedBy: 2, timestamp: 1, accepted: 1, failed: 0, completedAt: now)
            if (try? await store.deliveries.complete(claim, outcome)) != nil { return true }
            await store.deliveries.release(claim)
            return false
        }
        await pool.close()
    }
}
