import APNs
import APNsClient
import EventLoop
import Foundation
import HTTP
import TLS
import TestSupport
import Testing

/// Other people's server: it shares none of our mistakes. A missing tool is a failure, since the
/// set-up script installs it.
@Suite(.timeLimit(.minutes(1)))
struct InteropTests {
    @Test func `nghttpd answers every push`() async throws {
        let loop = EventLoop(name: "nghttpd")
        let port = try await loop.submit {
            let listener = try loop.listen(host: "127.0.0.1", port: 0) { $0.close() }
            listener.close()
            return listener.port
        }
        let authority = try SelfSignedAuthority.make(hosts: ["127.0.0.1"])
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "islet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = folder.appending(path: "key.pem")
        let certificate = folder.appending(path: "certificate.pem")
        try Data(authority.privateKeyPEM.utf8).write(to: key)
        try Data(authority.certificatePEM.utf8).write(to: certificate)
        let server = Process()
        server.executableURL = URL(filePath: "/usr/bin/env")
        // Debian puts it where only the administrator's path leads.
        server.arguments = [
            "PATH=/usr/local/bin:/usr/bin:/usr/sbin", "nghttpd", "--address=127.0.0.1",
            "--max-concurrent-streams=10", "--htdocs=\(folder.path)", "\(port)", key.path,
            certificate.path,
        ]
        try server.run()
        defer {
            // It inherits a mask that blocks SIGTERM.
            kill(server.processIdentifier, SIGKILL)
            server.waitUntilExit()
        }
        var timing = APNsTiming()
        timing.reconnectDelayMin = .milliseconds(20)
        timing.reconnectDelayMax = .milliseconds(100)
        let client = try APNsStandIn.client(
            of: port, on: loop, trusting: .pem(authority.authorityPEM), timing: timing)
        try await waitUntil { await client.send(APNsStandIn.push()).unsentReason == nil }
        #expect(await APNsStandIn.burst(500, to: client) == Tally(answered: 500))
        await client.close()
        await loop.shutdown()
    }
}
