import Foundation
import TLS
import Testing

struct TLSContextTests {
    @Test func `a certificate and the key of another are refused`() throws {
        let one = try SelfSignedAuthority.make(hosts: ["localhost"])
        let other = try SelfSignedAuthority.make(hosts: ["localhost"])
        #expect {
            _ = try TLSContext.server(
                certificateChainPEM: one.certificatePEM, privateKeyPEM: other.privateKeyPEM)
        } throws: { error in
            guard case TLSError.privateKeyUnreadable(let reason) = error else { return false }
            return reason.contains("mismatch")
        }
    }

    @Test func `a certificate and a key of another type are refused`() throws {
        let authority = try SelfSignedAuthority.make(hosts: ["localhost"])
        let reason = "it is of another type than the certificate's key"
        #expect(throws: TLSError.privateKeyUnreadable(reason)) {
            _ = try TLSContext.server(
                certificateChainPEM: authority.certificatePEM, privateKeyPEM: otherType)
        }
    }

    @Test(arguments: [
        "", "not PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
    ])
    func `a chain that is no certificate is refused`(text: String) throws {
        let authority = try SelfSignedAuthority.make(hosts: ["localhost"])
        #expect {
            _ = try TLSContext.server(
                certificateChainPEM: text, privateKeyPEM: authority.privateKeyPEM)
        } throws: { error in
            guard case TLSError.certificateUnreadable = error else { return false }
            return true
        }
    }

    @Test func `a chain cut off in its second certificate is refused`() throws {
        let authority = try SelfSignedAuthority.make(hosts: ["localhost"])
        let cutOff = authority.certificatePEM + authority.authorityPEM.dropLast(60)
        #expect(throws: TLSError.self) {
            _ = try TLSContext.server(
                certificateChainPEM: cutOff, privateKeyPEM: authority.privateKeyPEM)
        }
    }

    @Test func `a chain with its authority is served whole`() throws {
        let authority = try SelfSignedAuthority.make(hosts: ["localhost"])
        _ = try TLSContext.server(
            certificateChainPEM: authority.certificatePEM + authority.authorityPEM,
            privateKeyPEM: authority.privateKeyPEM)
    }

    @Test func `trust that cannot be loaded is an error and names the file`() throws {
        #expect {
            _ = try TLSContext.client(trust: .file("/nonexistent/authority.pem"))
        } throws: { error in
            guard case TLSError.trustUnreadable(let reason) = error else { return false }
            return reason.contains("/nonexistent/authority.pem")
                && reason.contains("No such file or directory")
        }
        #expect(throws: TLSError.self) { _ = try TLSContext.client(trust: .pem("nothing")) }
    }

    @Test(arguments: ["", "a,DNS:b", "a=b", "a b", "ä.example", "a\u{0}b", "example:443"])
    func `a host that would not be a plain name is refused`(host: String) {
        #expect(throws: TLSError.hostUnusable(host)) {
            _ = try SelfSignedAuthority.make(hosts: [host])
        }
    }

    @Test func `a certificate for nobody is refused`() {
        #expect(throws: TLSError.self) { _ = try SelfSignedAuthority.make(hosts: []) }
    }

    /// The system's own tool reads what is made here: an implementation checked only against
    /// itself would pass with any mistake made on both sides.
    @Test func `openssl verifies the certificate for its purpose and hosts`() throws {
        let authority = try SelfSignedAuthority.make(hosts: ["localhost", "127.0.0.1"])
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let trust = folder.appending(path: "authority.pem")
        let certificate = folder.appending(path: "server.pem")
        try Data(authority.authorityPEM.utf8).write(to: trust)
        try Data(authority.certificatePEM.utf8).write(to: certificate)
        for check in [["-verify_hostname", "localhost"], ["-verify_ip", "127.0.0.1"]] {
            let tool = Process()
            tool.executableURL = URL(filePath: "/usr/bin/env")
            tool.arguments =
                ["openssl", "verify", "-x509_strict", "-purpose", "sslserver", "-CAfile"]
                + [trust.path] + check + [certificate.path]
            tool.standardOutput = FileHandle.nullDevice
            try tool.run()
            tool.waitUntilExit()
            #expect(tool.terminationStatus == 0)
        }
    }
}

/// Of Ed25519, made for this test.
private let otherType = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEIHwxQ38k5apguRJy1z6lbhnIH7YBZQabHcRnj4vJfxr3
    -----END PRIVATE KEY-----
    """
