import APNs
import APNsClient
import EventLoop
import Foundation
import HTTP
import ProjectFiles
import TestSupport
import Testing
import TLS

/// An APNs that is written in another language, on another library, by Apple's pages alone. It
/// notes whatever a client should not do.
@Suite(.timeLimit(.minutes(5)))
struct StrictServerTests {
    /// What the server does to its client, and what becomes of the pushes.
    enum Fault: String, CaseIterable, Sendable {
        case none = "nothing"
        case smallWindows = "small windows"
        case noHeaderTable = "no header table"
        case noise
        case fewerStreams = "fewer streams"
        case goAway = "goaway"
        case refusedStreams = "refused streams"
        case resetStreams = "reset streams"
        case lostConnections = "lost connections"
        case silence
        case tooManyRequests = "too many requests"
        case emptyRefusals = "empty refusals"
        case refusalsWithoutJSON = "refusals without JSON"

        /// What the pushes come to; each fits exactly one of the three.
        func fits(_ tally: Tally, of count: Int) -> Bool {
            guard tally.answered + tally.unsent + tally.maybeDelivered == count else {
                return false
            }
            switch self {
            case .none, .smallWindows, .noHeaderTable, .noise, .fewerStreams,
                .tooManyRequests, .emptyRefusals, .refusalsWithoutJSON:
                return tally.answered == count
            // Sent again, and given up in the end, since it may be turned away every time.
            case .refusedStreams, .goAway:
                return tally.maybeDelivered == 0 && tally.answered > count * 9 / 10
            case .resetStreams, .silence:
                return tally.maybeDelivered > 0 && tally.answered > count * 3 / 4
            case .lostConnections:
                return tally.maybeDelivered > 0 && tally.answered > count / 3
            }
        }

        /// The status of those that are refused.
        var status: Int? {
            switch self {
            case .tooManyRequests: 429
            case .emptyRefusals: 503
            case .refusalsWithoutJSON: 500
            default: nil
            }
        }
    }

    private struct Report: Decodable {
        var violations: [String]
        var taken: [String: Int]
        var answers: [String: Int]
        var requests: Int
        var connections: Int
    }

    /// Made by `make test`, and by
    /// `tools/venv .build/conformance/venv Tests/SimulatorTests/Conformance/requirements.txt`.
    private static let python = ProjectFiles.python("conformance")
    private static let count = 300

    @Test(
        .enabled(
            if: ProjectFiles.hasPython("conformance"),
            "needs h2 for Python: make test installs it"),
        arguments: Fault.allCases)
    func `a strict server finds nothing to object to, and no push is taken twice or misreported`(
        fault: Fault
    ) async throws {
        let (results, report) = try await play(fault)
        #expect(report.violations == [])
        #expect(report.taken.values.allSatisfy { $0 == 1 }, "no push was taken twice")
        #expect(results.count == Self.count)
        var tally = Tally()
        for (identifier, result) in results {
            tally.count(result)
            switch result {
            case .answered(let response) where response.status == 200:
                #expect(report.taken[identifier] == 1)
            case .answered(let response):
                #expect(response.status == fault.status)
                #expect(report.taken[identifier] == nil)
            case .notAnswered(_, mayHaveBeenDelivered: false):
                #expect(report.taken[identifier] == nil, "said to be unsent")
            case .notAnswered(_, mayHaveBeenDelivered: true): break
            case .deferred: Issue.record("the key was refused")
            }
        }
        #expect(fault.fits(tally, of: Self.count), "\(tally)")
        if let status = fault.status { #expect(report.answers["\(status)"] ?? 0 > 0) }
        if fault == .goAway || fault == .lostConnections { #expect(report.connections > 1) }
        if fault == .refusedStreams { #expect(report.requests > Self.count) }
    }

    private func play(
        _ fault: Fault
    ) async throws -> (results: [String: PushResult], report: Report) {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "strict-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let authority = try SelfSignedAuthority.make(hosts: ["127.0.0.1"])
        let key = ES256PrivateKey.generate()
        for (name, text) in [
            ("key.pem", authority.privateKeyPEM), ("certificate.pem", authority.certificatePEM),
            ("public.pem", key.publicKey.pem),
        ] {
            try Data(text.utf8).write(to: folder.appending(path: name))
        }
        let input = Pipe()
        let server = Process()
        server.executableURL = Self.python
        server.arguments = [
            "-B", ProjectFiles.url("Tests/APNsClientTests/Strict/server.py").path,
            fault.rawValue, folder.path,
        ]
        server.standardInput = input
        try server.run()
        defer {
            kill(server.processIdentifier, SIGKILL)
            server.waitUntilExit()
        }
        let port = try #require(
            Int(try await Self.text(folder.appending(path: "port"))), "no server")
        let loop = EventLoop(name: "strict")
        var timing = APNsTiming(pushDeadline: .seconds(2))
        timing.reconnectDelayMin = .milliseconds(20)
        timing.reconnectDelayMax = .milliseconds(100)
        let client = APNsClient(
            loop: loop, endpoint: APNsEndpoint(host: "127.0.0.1", port: port),
            tls: try .client(trust: .pem(authority.authorityPEM)),
            credentials: APNsCredentials(
                teamID: APNsStandIn.teamID, keyID: APNsStandIn.keyID, key: key),
            timing: timing, now: { Int64(Date().timeIntervalSince1970) })
        let results = await withTaskGroup(of: (String, PushResult).self) { group in
            for number in 1...Self.count {
                let push = APNsStandIn.push(number)
                group.addTask {
                    let id = "00000000-0000-4000-8000-\(String(format: "%012d", number))"
                    return (id, await client.send(push))
                }
            }
            return await group.reduce(into: [String: PushResult]()) { $0[$1.0] = $1.1 }
        }
        await client.close()
        await loop.shutdown()
        input.fileHandleForWriting.closeFile()
        let json = try await Self.text(folder.appending(path: "report.json"))
        return (results, try JSONDecoder().decode(Report.self, from: Data(json.utf8)))
    }

    /// What the server writes, once it is there.
    private static func text(_ file: URL) async throws -> String {
        var text = Data()
        try await waitUntil("there is \(file.lastPathComponent)") {
            text = FileManager.default.contents(atPath: file.path) ?? Data()
            return !text.isEmpty
        }
        return String(decoding: text, as: UTF8.self)
    }
}
