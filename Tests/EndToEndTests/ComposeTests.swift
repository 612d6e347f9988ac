import EventStore
import Foundation
import Glibc
import Postgres
import PostgresStore
import ProjectFiles
import Testing
import TestSupport

/// What `docker compose up` does around Islet, tried with a Postgres of this machine.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct `The composed system` {
    private static let administrator = "islet"

    /// A database as the image of Postgres makes it, whose administrator is a superuser.
    private func withDatabase(
        _ body: (ScratchDirectory, PrivatePostgres, _ socket: String) async throws -> Void
    ) async throws {
        try await ScratchDirectory.with { directory in
            let server = try await PrivatePostgres.start(
                dataDirectory: directory.data, settings: ["fsync": "off"],
                setup: """
                    CREATE ROLE \(Self.administrator) SUPERUSER LOGIN;
                    ALTER DATABASE postgres OWNER TO \(Self.administrator)
                    """)
            let result: Result<Void, any Error>
            do {
                result = .success(
                    try await body(
                        directory, server, ServerPath.absolute(directory.data) + "/run"))
            } catch { result = .failure(error) }
            try await server.stop()
            try result.get()
        }
    }

    private func run(
        _ script: String, _ arguments: [String], in directory: ScratchDirectory,
        _ environment: [String: String] = [:]
    ) async throws {
        let program = try await IsletProgram.start(
            program: ["/bin/sh", ProjectFiles.url("compose/\(script)").path] + arguments,
            in: directory, environment: environment)
        let result = await program.result()
        try #require(result.code == 0, "\(script): \(result.errors)")
        #expect((result.output + result.errors).isEmpty, "\(result.output) \(result.errors)")
    }

    private func pool(_ url: String) -> Pool {
        Pool(
            PoolConfiguration(connection: ConnectionConfiguration(url: url), connectionsMax: 1),
            loop: TestDatabase.loop)
    }

    /// As after an update from a version whose Islet was the superuser.
    @Test func `gives Islet a role that is nothing special, and a password of its own`()
        async throws
    {
        try await withDatabase { directory, server, socket in
            let administrator = pool(server.url(as: Self.administrator))
            _ = try await EventStore.migrator.migrate(administrator)
            for name in ["administrator", "login"] {
                try FileManager.default.createDirectory(
                    atPath: directory.file(name), withIntermediateDirectories: true)
            }
            let file = directory.file("login/database-url")
            let user = "\(geteuid())"
            var urls: [String] = []
            for _ in 1...2 {
                try await run(
                    "make-secrets.sh",
                    [directory.file("administrator"), user, directory.file("login"), user],
                    in: directory)
                try await run(
                    "make-roles.sh",
                    [
                        ProjectFiles.url("Sources/PostgresStore/Roles/roles.sql").path, file,
                    ], in: directory,
                    ["PGHOST": socket, "PGUSER": Self.administrator, "PGDATABASE": "postgres"])
                urls.append(try String(contentsOfFile: file, encoding: .utf8))
            }
            #expect(urls[0] == urls[1])
            #expect(
                urls[0].wholeMatch(
                    of: /postgresql:\/\/islet_service:[0-9a-f]{48}@postgres\/islet\n/)
                    != nil)
            for path in [file, directory.file("administrator/password")] {
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
                #expect(mode as? Int == 0o400)
            }
            let rows = try await administrator.query(
                """
                SELECT rolname::text, coalesce(rolpassword, '-') FROM pg_authid
                WHERE rolname LIKE 'islet\\_%' AND NOT rolsuper AND NOT rolbypassrls
                    AND NOT rolcreaterole ORDER BY rolname
                """)
            #expect(
                try rows.map { try $0.get(0, as: String.self) }
                    == ["islet_service", "islet_tenant", "islet_visitor"])
            #expect(
                try rows.map { try $0.get(1, as: String.self).hasPrefix("SCRAM-SHA-256$") }
                    == [true, false, true])
            await administrator.close()
            try await expectServed(server, directory)
        }
    }

    /// Islet serves as the compose file has it.
    private func expectServed(
        _ server: PrivatePostgres, _ directory: ScratchDirectory
    ) async throws {
        let file = directory.file("url")
        try Data(server.url(as: DatabaseRoles.service).utf8).write(to: URL(filePath: file))
        #expect(chmod(file, 0o600) == 0)
        let database = ["ISLET_DATABASE_URL_FILE": file]
        let made = try await IsletProgram.run(
            ["keys", "create", "--tenant", "acme"], in: directory, environment: database)
        let key = made.output.trimmingCharacters(in: .newlines)
        try await RunningServer.with(
            [], in: directory,
            environment: database.merging(["ISLET_DATABASE_VISITOR": "islet_visitor"]) { $1 }
        ) { running in
            let event = Story.assigned("Ada", "order-1")
            #expect(try await running.post(event, key: key, in: directory).status == 201)
            let answer = try await running.curl(
                "/v1/activities/order-1?wait=1", key: key, in: directory)
            #expect(answer.body.contains("Ada"), "\(answer.body)")
            let pool = pool(server.url)
            let users = try await pool.query(
                """
                SELECT DISTINCT usename::text FROM pg_stat_activity
                WHERE application_name LIKE 'islet/%' AND pid <> pg_backend_pid() ORDER BY 1
                """)
            #expect(
                try users.map { try $0.get(0, as: String.self) }
                    == ["islet_service", "islet_visitor"])
            await pool.close()
        }
    }

    private func services() throws -> Substring {
        try ProjectFiles.text("docker-compose.yml").split(separator: "\nservices:\n")[1]
            .split(separator: "\nvolumes:\n")[0]
    }

    @Test func `comes back with its machine`() throws {
        let services = try services()
        // `secrets` and `roles` end when they are done.
        let once = services.matches(of: #/(?m)^        condition: service_completed_success/#).count
        let all = services.matches(of: #/(?m)^  [a-z]+:$/#).count
        #expect(once == 2)
        #expect(services.matches(of: #/(?m)^    restart: unless-stopped$/#).count == all - once)
    }

    @Test func `leaves Islet the 40 seconds that stopping may take`() throws {
        let islet = try #require(try services().split(separator: "\n  islet:\n").last)
        let seconds = try #require(islet.firstMatch(of: #/(?m)^    stop_grace_period: (\d+)s$/#)?.1)
        #expect(Int(seconds) ?? 0 >= 40)
    }

    @Test func `confines every service and knows no password`() throws {
        let text = try ProjectFiles.text("docker-compose.yml")
        let services = try services()
        let names = services.matches(of: #/(?m)^  ([a-z]+):$/#).map { String($0.1) }
        let usual = ["secrets", "postgres", "roles", "islet"]
        #expect(names == usual + ["simulator", "prometheus", "grafana"])
        // Whatever else there is comes only when it is asked for.
        #expect(
            services.matches(of: #/(?m)^    profiles: \[/#).count == names.count - usual.count)
        #expect(services.matches(of: #/(?m)^    <<: \*confined$/#).count == names.count)
        #expect(services.matches(of: #/(?m)^    mem_limit: /#).count == names.count)
        #expect(!text.contains("POSTGRES_PASSWORD:") && !text.contains("privileged"))
        for rule in ["cap_drop: [ALL]", "no-new-privileges:true", "read_only: true", "pids_limit"] {
            #expect(text.contains(rule))
        }
    }
}
