import Domain
import EventLoop
import EventStore
import Foundation
import Glibc
import Postgres
import TestSupport
import Testing

/// Whom a node's health concerns.
@Suite(.timeLimit(.minutes(5)))
struct `A node that is asked how it is` {
    @Test func `stays ready while one tenant's checkpoint is locked, and metrics tell of it`()
        async throws
    {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("Secret-Pizzeria").id
        let lock = database.makePool(connectionsMax: 1)
        try await ScratchDirectory.with { directory in
            let options = [
                "--lag-seconds-max", "1", "--metrics-port", "0", "--database-url", database.url,
            ]
            try await RunningServer.with(options, in: directory) { server in
                try await lock.withConnection { (connection) async throws(PostgresError) in
                    try await connection.script(
                        "BEGIN; SELECT FROM projection_checkpoint FOR UPDATE")
                    await told(server, database, tenant, directory)
                    try await connection.script("ROLLBACK")
                }
                let metrics = try #require(server.metricsPort)
                try await waitUntil("nothing stands still") {
                    try await server.curl("/metrics", port: metrics, in: directory).body
                        .contains("\nislet_standing_checkpoints 0\n")
                }
                let strangers = try await server.curl("/metrics", in: directory)
                #expect(strangers.status == 404, "clients' port has no metrics")
            }
        }
        await lock.close()
    }

    /// Everything while the lock is there.
    private func told(
        _ server: RunningServer, _ database: TestDatabase, _ tenant: TenantID,
        _ directory: ScratchDirectory
    ) async {
        do {
            try await database.recordOrder(of: tenant)
            let port = try #require(server.metricsPort)
            try await waitUntil("the metrics tell of it") {
                try await server.curl("/metrics", port: port, in: directory).body
                    .contains("\nislet_standing_checkpoints 1\n")
            }
            let text = try await server.curl("/metrics", port: port, in: directory).body
            #expect(text.contains("islet_tenant_lag_seconds{tenant=\"\(tenant.rawValue)\"} "))
            #expect(text.contains("\nislet_ready 1\n"))
            #expect(text.contains("\nprocess_open_fds "))
            #expect(!text.contains("Secret"))
            for path in ["/readyz", "/healthz", "/livez"] {
                let answer = try await server.curl(path, in: directory)
                #expect(answer.status == 200, "\(path): \(answer.body)")
            }
            #expect(server.program.errors.contains("a checkpoint stands still"))
        } catch { Issue.record(error) }
    }

    @Test func `is not ready while every POST fails, says why, and finds out when they work again`()
        async throws
    {
        let database = try await TestDatabase.make()
        let breaking = """
            CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'could not load library' USING ERRCODE = '58P01'; END $$;
            CREATE TRIGGER broken BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION broken()
            """
        try await ScratchDirectory.with { directory in
            let key = try await RunningServer.makeKey(in: database)
            try await RunningServer.with(
                ["--role", "api", "--database-url", database.url], in: directory
            ) { server in
                func post(_ id: String) async throws -> Int {
                    let event = """
                        {"specversion":"1.0","id":"\(id)","source":"/shop","subject":"o-1",
                         "time":"\(Moment.timeOfDay.rfc3339)",
                         "type":"PizzaDelivery.OrderAccepted","data":{}}
                        """
                    let answer = try await server.post(event, key: key, in: directory)
                    return answer.status
                }
                #expect(try await post("1") == 201)
                try await script(database, breaking)
                try await waitUntil("the node is not ready", within: 30) {
                    #expect(try await post("2") == 500)
                    return try await server.curl("/readyz", in: directory).status == 503
                }
                let answer = try await server.curl("/readyz", in: directory)
                #expect(answer.body.contains("the database refuses it (58P01)"), "\(answer.body)")
                #expect(!answer.body.contains("library"), "that is for the log")
                #expect(try await server.curl("/livez", in: directory).status == 200)
                try await Task.sleep(for: .seconds(3))
                let later = try await server.curl("/readyz", in: directory)
                #expect(later.status == 503, "probes fail too: \(later.body)")
                try await script(database, "DROP TRIGGER broken ON event")
                try await waitUntil("the node is ready although nobody posts", within: 30) {
                    try await server.curl("/readyz", in: directory).status == 200
                }
                #expect(try await post("2") == 201)
                let log = server.program.errors
                #expect(log.contains("error not ready: calls of the database do nothing but fail"))
                #expect(log.contains("info calls of the database work again call=append"))
            }
        }
        let tenants = try await database.store.tenants.all().map(\.name)
        #expect(tenants == ["shop"], "probes leave nothing behind")
    }

    private func script(_ database: TestDatabase, _ sql: String) async throws {
        try await database.pool.withConnection { (connection) async throws(PostgresError) in
            try await connection.script(sql)
        }
    }

    @Test func `says in its metrics which part of it is not ready, such as a log that is held`()
        async throws
    {
        let database = try await TestDatabase.make()
        try await ScratchDirectory.with { directory in
            let held = try await IsletProgram.run(
                ["restore", "hold", "--database-url", database.url], in: directory)
            try #require(held.code == 0, "\(held.errors)")
            try await RunningServer.with(
                ["--metrics-port", "0", "--database-url", database.url], in: directory
            ) { server in
                let port = try #require(server.metricsPort)
                let text = try await server.curl("/metrics", port: port, in: directory).body
                #expect(text.contains("\nislet_ready 0\n"), "\(text)")
                #expect(text.contains("\nislet_check_ready{check=\"log\"} 0\n"), "\(text)")
                #expect(text.contains("\nislet_check_ready{check=\"node\"} 1\n"), "\(text)")
                #expect(text.contains("\nislet_check_ready{check=\"store\"} 1\n"), "\(text)")
            }
        }
    }

    @Test func `serves while it drains, and is not ready from the signal on`() async throws {
        let database = try await TestDatabase.make()
        try await ScratchDirectory.with { directory in
            try await RunningServer.with(
                ["--drain-delay-seconds", "3", "--database-url", database.url], in: directory
            ) { server in
                #expect(try await server.curl("/readyz", in: directory).status == 200)
                await server.program.child.send(signal: SIGTERM)
                try await waitUntil("the node is not ready", within: 2) {
                    try await server.curl("/readyz", in: directory).status == 503
                }
                let answer = try await server.curl("/readyz", in: directory)
                #expect(answer.body.contains("draining"))
                #expect(try await server.curl("/openapi.json", in: directory).status == 200)
                let result = await server.program.result()
                #expect(result.code == 0)
                #expect(result.errors.contains("stopping drainDelaySeconds=3"))
            }
        }
    }

    @Test func `that waits for Postgres when it starts ends at the first signal to stop`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let program = try await IsletProgram.start(
                ["serve", "--port", "0", "--database-url", "postgresql://a@127.0.0.1:1/x"],
                in: directory)
            try await waitUntil("it waits", within: 25) {
                program.errors.contains("waiting for Postgres")
            }
            let start = ContinuousClock.now
            await program.child.send(signal: SIGTERM)
            let result = await program.result()
            #expect(result.code == 0, "\(result.errors)")
            #expect(ContinuousClock.now - start < .seconds(5))
            #expect(result.errors.contains("stopped"), "\(result.errors)")
        }
    }

    @Test func `that gets a second signal to stop ends at once`() async throws {
        let database = try await TestDatabase.make()
        try await ScratchDirectory.with { directory in
            try await RunningServer.with(
                ["--drain-delay-seconds", "600", "--database-url", database.url], in: directory
            ) { server in
                await server.program.child.send(signal: SIGTERM)
                try await waitUntil("it stops") { server.program.errors.contains("stopping") }
                await server.program.child.send(signal: SIGINT)
                let result = await server.program.result()
                #expect(result.code == 128 + SIGINT)
            }
        }
    }
}
