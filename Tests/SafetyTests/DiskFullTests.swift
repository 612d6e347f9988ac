import Foundation
import FoundationNetworking
import Glibc
import TestSupport
import Testing

@Suite(.serialized)
struct `A full disk` {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seed = UInt64(environment["ISLET_SOAK_SEED"] ?? "") ?? 20_260_501

    /// The server's own Postgres on a file system of 200 MB, which is filled and emptied again
    /// several times. The server process goes on throughout.
    @Test(
        .enabled(if: environment["ISLET_SOAK"] == "1", "mounts a file system; run by `make soak`"),
        .timeLimit(.minutes(15)))
    func `is answered with 503 and survived without a restart`() async throws {
        try #require(getuid() == 0, "mounting a file system needs root: run `make soak` as root")
        let disk = try SmallDisk(megabytes: 200)
        defer { disk.remove() }
        let store = ["--data-dir", disk.path + "/data"]
        let server = ServeProcess(store: store, directory: disk.outside)
        try await server.start()
        let pid = await server.pid
        let key = try await ServeProcess.run(
            ["keys", "create", "--tenant", Stage.tenant] + store, directory: disk.outside)
        let load = Load(
            base: server.base,
            key: key.output.split(separator: "\n").last.map(String.init) ?? "", noteBytes: 3_000)
        async let writing: Void = load.run(writers: 8, seed: Self.seed)
        // To the last byte, tables cannot grow. With less than a WAL segment left, Postgres itself
        // dies, and cannot start again until there is room.
        for (round, kilobytesLeft) in [0, 8_000, 2_000, 0].enumerated() {
            let isWriting = await load.waitForMore(50)
            #expect(isWriting, "round \(round)")
            try disk.fill(leavingKilobytes: kilobytesLeft)
            let refusals = load.snapshot.unavailable + 50
            var isRefused = false
            for _ in 0..<6_000 where !isRefused {
                try await Task.sleep(for: .milliseconds(10))
                isRefused = load.snapshot.unavailable >= refusals
            }
            #expect(isRefused, "the disk did not get full in round \(round)")
            try disk.free()
            let recovers = await load.waitForMore(50)
            let log = await server.log.suffix(2_000)
            #expect(recovers, "nothing was recorded for a minute after the disk was freed: \(log)")
        }
        load.stop()
        await writing
        let state = load.snapshot
        #expect(state.violations == [])
        #expect(state.retryAfterMissing == 0)
        let isSame = await server.pid == pid && kill(pid, 0) == 0
        #expect(isSame, "the server was restarted")
        // Its Postgres listens where a private server in that directory always does.
        let count = try await Audit.check(load, url: disk.postgresURL, tenant: Stage.tenant)
        let verdict = try await ServeProcess.run(
            ["replay", "verify"] + store, directory: disk.outside)
        #expect(verdict.code == 0, "\(verdict.output)")
        await server.stop()
        let deaths = await server.log.split(separator: "had died").count - 1
        print("Postgres died of it \(deaths) times")
        print("\(count) events, all there once; \(state.unavailable) requests answered 503")
    }
}

/// A file system in memory that can be filled to the last byte.
struct SmallDisk {
    struct Failed: Error {
        var command: [String]
    }

    let path: String
    /// A directory that is not on it.
    let outside: String

    init(megabytes: Int) throws {
        outside = TestServer.temporaryDirectory()
        path = outside + "/disk"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Self.run(
            ["/bin/mount", "-t", "tmpfs", "-o", "size=\(megabytes)m,mode=755", "tmpfs", path])
    }

    var postgresURL: String {
        let host =
            "\(path)/data/run".addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "postgresql:///postgres?host=\(host)&user=postgres"
    }

    func fill(leavingKilobytes kilobytesLeft: Int) throws {
        let file = open(path + "/filler", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard file >= 0 else { throw Failed(command: ["open"]) }
        defer { close(file) }
        for size in [1_048_576, 4_096, 1] {
            let bytes = [UInt8](repeating: 1, count: size)
            while write(file, bytes, size) > 0 {}
        }
        let length = lseek(file, 0, SEEK_END)
        guard ftruncate(file, max(0, length - off_t(kilobytesLeft * 1_024))) == 0 else {
            throw Failed(command: ["ftruncate"])
        }
    }

    func free() throws { try FileManager.default.removeItem(atPath: path + "/filler") }

    func remove() {
        try? Self.run(["/bin/umount", "--lazy", path])
        try? FileManager.default.removeItem(atPath: outside)
    }

    private static func run(_ command: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(command: command) }
    }
}
