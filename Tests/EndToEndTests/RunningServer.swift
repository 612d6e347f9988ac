import Domain
import EventLoop
import EventStore
import Foundation
import Glibc
import TLS
import TestSupport
import Testing

/// `islet serve` as a process, on a port of its own.
struct RunningServer: Sendable {
    let program: IsletProgram
    let port: Int

    /// Starts a server, waits until it answers, and stops it afterwards if it still runs.
    /// - Parameter hostsFile: what it finds at /etc/hosts; nil for the machine's own.
    static func with(
        _ arguments: [String], in directory: ScratchDirectory,
        environment: [String: String] = [:], hostsFile: String? = nil,
        _ body: (RunningServer) async throws -> Void
    ) async throws {
        let words = [IsletProgram.path, "serve", "--port", "0"] + arguments
        let mounting = #"mount --bind "$0" /etc/hosts && exec "$@""#
        let program = try await IsletProgram.start(
            program: (hostsFile.map { ["unshare", "--mount", "sh", "-c", mounting, $0] } ?? [])
                + words, in: directory, environment: environment)
        let result: Result<Void, any Error>
        do {
            try await waitUntil("the server listens or ends") {
                listeningPort(program) != nil || program.isOver
            }
            let port = try #require(listeningPort(program), "\(program.errors)")
            result = .success(try await body(RunningServer(program: program, port: port)))
        } catch { result = .failure(error) }
        await program.child.send(signal: SIGTERM)
        _ = await program.child.ending()
        try result.get()
    }

    private static func listeningPort(_ program: IsletProgram) -> Int? {
        program.errors.firstMatch(of: /listening url=https?:\/\/127\.0\.0\.1:(\d+)/)
            .flatMap { Int($0.1) }
    }

    /// Nil without `--metrics-port`.
    var metricsPort: Int? {
        program.errors.firstMatch(of: /metrics url=https?:\/\/127\.0\.0\.1:(\d+)/)
            .flatMap { Int($0.1) }
    }

    /// A key of the tenant `shop`, which may do everything.
    static func makeKey(in database: TestDatabase) async throws -> String {
        let tenant = try await database.store.tenants.ensure("shop").id
        let key = "rolling-key-\(UUID().uuidString)"
        try await database.store.tenants.addKey(
            tenant, SHA256.hash(Array(key.utf8)), Set(Scope.allCases))
        return key
    }

    /// Asks it to stop and waits until it has.
    func stop() async -> IsletProgram.Result {
        await program.child.send(signal: SIGTERM)
        return await program.result()
    }

    /// Sends SIGHUP and waits for what the log then says.
    func reload(expecting words: String) async throws {
        let before = program.errors.utf8.count
        await program.child.send(signal: SIGHUP)
        try await waitUntil("\(words)", within: 30) {
            String(decoding: program.errors.utf8.dropFirst(before), as: UTF8.self).contains(words)
        }
    }

    /// An answer as curl saw it.
    struct Answer: Sendable {
        var status: Int
        var type: String
        var body: String

        func member(_ name: String) -> String? {
            let json = try? JSONSerialization.jsonObject(with: Data(body.utf8))
            let value = (json as? [String: Any])?[name]
            return (value as? String) ?? (value as? NSNumber)?.stringValue
        }
    }

    func curl(
        _ path: String, key: String? = nil, _ arguments: [String] = [], port: Int? = nil,
        in directory: ScratchDirectory
    ) async throws -> Answer {
        let authorization = key.map { ["--header", "Authorization: Bearer \($0)"] } ?? []
        let program = try await IsletProgram.start(
            program: [
                "curl", "--silent", "--show-error", "--max-time", "30", "--write-out",
                "\n%{http_code} %{content_type}", "http://127.0.0.1:\(port ?? self.port)\(path)",
            ] + authorization + arguments, in: directory)
        let result = await program.result()
        try #require(result.code == 0, "curl: \(result.errors)")
        var lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
        let words = (lines.popLast() ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        return Answer(
            status: words.first.flatMap { Int($0) } ?? 0, type: words.dropFirst().first ?? "",
            body: lines.joined(separator: "\n"))
    }

    func post(
        _ body: String, key: String?, to path: String = "/v1/events",
        type: String = "application/cloudevents+json", in directory: ScratchDirectory
    ) async throws -> Answer {
        let file = directory.file("body-\(UUID().uuidString)")
        try Data(body.utf8).write(to: URL(filePath: file))
        return try await curl(
            path, key: key,
            ["--header", "Content-Type: \(type)", "--data-binary", "@\(file)"], in: directory)
    }
}
