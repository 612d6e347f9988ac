import EventLoop
import Foundation
import HTTP
import TLS
import Testing

/// Other people's clients against our server: they share none of our mistakes. A tool that is
/// missing is a failure, since the set-up script installs it.
@Suite(.timeLimit(.minutes(1)))
struct HTTP2InteropTests {
    private let answering: HTTP2Fixture.Answering = { request, _ in
        .response(
            Response(
                status: 200, headers: ["content-type": "text/plain"],
                body: .bytes(Array("\(request.method) \(request.body.count)".utf8))))
    }

    @Test func `curl posts over HTTP2 and checks our certificate`() async throws {
        try await HTTP2Fixture.run(answering: answering) { fixture in
            let folder = try TemporaryFolder()
            try folder.write(fixture.authority.authorityPEM, "authority.pem")
            try folder.write(String(repeating: "x", count: 200_000), "body")
            let output = try await Tool.run(
                "curl", "--silent", "--show-error", "--http2", "--cacert",
                folder.path("authority.pem"), "--data-binary", "@" + folder.path("body"),
                "--write-out", " HTTP/%{http_version}", "https://localhost:\(fixture.port)/a")
            #expect(output == "POST 200000 HTTP/2")
        }
    }

    @Test func `curl refuses the certificate without our authority`() async throws {
        try await HTTP2Fixture.run(answering: answering) { fixture in
            await #expect(throws: Tool.Failure.self) {
                _ = try await Tool.run(
                    "curl", "--silent", "--http2", "https://localhost:\(fixture.port)/")
            }
        }
    }

    @Test func `nghttp gets what it asks for`() async throws {
        try await HTTP2Fixture.run(answering: answering) { fixture in
            let output = try await Tool.run(
                "nghttp", "--no-verify-peer", "https://127.0.0.1:\(fixture.port)/x")
            #expect(output == "GET 0")
        }
    }

    @Test func `h2load sees every request succeed`() async throws {
        try await HTTP2Fixture.run(answering: answering) { fixture in
            let folder = try TemporaryFolder()
            try folder.write(String(repeating: "x", count: 1_024), "body")
            let output = try await Tool.run(
                "h2load", "-n", "5000", "-c", "3", "-m", "200", "-d", folder.path("body"),
                "https://127.0.0.1:\(fixture.port)/")
            #expect(output.contains("5000 succeeded, 0 failed, 0 errored"))
            #expect(output.contains("status codes: 5000 2xx"))
        }
    }
}

/// A command-line program of the machine.
enum Tool {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Runs it to its end and returns its standard output.
    static func run(_ name: String, _ arguments: String...) async throws -> String {
        try await run(name, arguments: arguments)
    }

    static func run(_ name: String, arguments: [String]) async throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [name] + arguments
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        let text: String = try await withCheckedThrowingContinuation { continuation in
            // Reading blocks, so it gets a thread of its own.
            Thread.detachNewThread {
                do {
                    try process.run()
                    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
                    let complaint = try errors.fileHandleForReading.readToEnd() ?? Data()
                    process.waitUntilExit()
                    guard process.terminationStatus == 0 else {
                        throw Failure(
                            description: "\(name) ended with \(process.terminationStatus): "
                                + String(decoding: complaint, as: UTF8.self))
                    }
                    continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        return text
    }
}

/// A folder that goes away with the value's last use.
final class TemporaryFolder: Sendable {
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "islet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: url.appending(path: name))
    }
}
