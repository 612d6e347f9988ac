import Foundation
import Glibc
import Postgres
import TestSupport
import Testing

/// Processes are killed at random moments under load; what was acknowledged must be there.
///
/// One seed gives one order of blows, though not their exact moments. `make soak` strikes longer.
@Suite(.serialized)
struct `Nothing acknowledged is lost when` {
    private enum Victim: CaseIterable {
        case server
        case postmaster
        /// One of Postgres' processes: all of them then start again by themselves.
        case backend
    }

    private static let environment = ProcessInfo.processInfo.environment
    private static let blows = Int(environment["ISLET_SOAK_BLOWS"] ?? "") ?? 6
    private static let seed = UInt64(environment["ISLET_SOAK_SEED"] ?? "") ?? 20_260_501

    @Test(.timeLimit(.minutes(120)))
    func `server and Postgres are killed again and again under load`() async throws {
        let place = try await Stage.make()
        let server = ServeProcess(
            store: ["--database-url", place.postgres.url], directory: place.directory)
        try await server.start()
        let load = Load(base: server.base, key: try await place.makeKey())
        async let writing: Void = load.run(writers: 12, seed: Self.seed)

        var chance = SeededGenerator(seed: Self.seed)
        for blow in 0..<Self.blows {
            let victim = Victim.allCases[blow % Victim.allCases.count]
            let isAlive = await load.waitForMore(Int.random(in: 1...200, using: &chance))
            #expect(isAlive, "no event was acknowledged for a minute before blow \(blow)")
            if !isAlive { break }
            switch victim {
            case .server:
                await server.kill()
                try await server.start()
            case .postmaster: try await place.killPostmaster()
            case .backend: place.killBackend(choice: Int.random(in: 0..<1_000, using: &chance))
            }
        }
        let goesOn = await load.waitForMore(100)
        #expect(goesOn, "no event was acknowledged for a minute after the last blow")
        load.stop()
        await writing
        let count = try await Audit.check(
            load, url: place.postgres.url, tenant: Stage.tenant)
        #expect(count > Self.blows * 10)
        await server.stop()
        let verdict = try await ServeProcess.run(
            ["replay", "verify", "--database-url", place.postgres.url],
            directory: place.directory)
        #expect(verdict.code == 0, "\(verdict.output)")
        await place.end()
        print(
            "\(Self.blows) blows with seed \(Self.seed): \(count) events, all there once; "
                + "\(load.snapshot.unavailable) requests answered 503")
    }
}

extension `Nothing acknowledged is lost when` {
    @Test(.timeLimit(.minutes(5)))
    func `the server's own Postgres dies, which the server starts again itself`() async throws {
        let place = try await Stage.make()
        // It was found running and is shared with the test, but the server still looks after it.
        let server = ServeProcess(
            store: ["--data-dir", place.directory + "/data"], directory: place.directory)
        try await server.start()
        let load = Load(base: server.base, key: try await place.makeKey())
        async let writing: Void = load.run(writers: 4, seed: 1)
        let isWriting = await load.waitForMore(20)
        #expect(isWriting)
        let postmaster = try #require(place.postmaster)
        #expect(kill(postmaster, SIGKILL) == 0)
        // Its sessions go on for a moment, and many events get into that.
        try await waitUntil("another Postgres") {
            place.postmaster.map { $0 != postmaster } ?? false
        }
        let goesOn = await load.waitForMore(50)
        let log = await server.log.suffix(2_000)
        #expect(goesOn, "nothing was recorded for a minute: \(log)")
        load.stop()
        await writing
        _ = try await Audit.check(load, url: place.postgres.url, tenant: Stage.tenant)
        await server.stop()
        await place.end()
    }
}

/// A durable Postgres of the test's own and a directory for everything else.
struct Stage {
    static let tenant = "acme"

    let directory: String
    let postgres: PrivatePostgres

    static func make() async throws -> Stage {
        let directory = TestServer.temporaryDirectory()
        let postgres = try await PrivatePostgres.start(dataDirectory: directory + "/data")
        try TestServer.cleanUpAfterThisProcess(postgres, directory)
        return Stage(directory: directory, postgres: postgres)
    }

    func makeKey() async throws -> String {
        let made = try await ServeProcess.run(
            ["keys", "create", "--tenant", Self.tenant, "--database-url", postgres.url],
            directory: directory)
        #expect(made.code == 0, "\(made.output)")
        return made.output.split(separator: "\n").last.map(String.init) ?? ""
    }

    /// Kills it and starts it again, as a supervisor of Postgres does.
    func killPostmaster() async throws {
        let pid = try #require(postmaster)
        #expect(kill(pid, SIGKILL) == 0)
        // It counts as running until it is reaped, and its orphans keep the shared memory for a
        // moment more.
        for _ in 0..<600 {
            if kill(pid, 0) != 0,
                (try? await PrivatePostgres.start(dataDirectory: directory + "/data")) != nil
            {
                return
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("Postgres did not start again")
    }

    func killBackend(choice: Int) {
        guard let postmaster,
            let text = try? String(
                contentsOfFile: "/proc/\(postmaster)/task/\(postmaster)/children", encoding: .utf8)
        else { return }
        let children = text.split(separator: " ").compactMap { Int32($0) }
        guard !children.isEmpty else { return }
        kill(children[choice % children.count], SIGKILL)
    }

    var postmaster: Int32? {
        let file = directory + "/data/cluster/postmaster.pid"
        let text = try? String(contentsOfFile: file, encoding: .utf8)
        return text?.split(separator: "\n").first.flatMap { Int32($0) }
    }

    func end() async {
        try? await postgres.stop()
        try? FileManager.default.removeItem(atPath: directory)
    }
}
