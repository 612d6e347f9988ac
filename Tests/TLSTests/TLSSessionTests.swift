import Foundation
import TLS
import Testing

struct TLSSessionTests {
    let authority: SelfSignedAuthority

    init() throws {
        authority = try SelfSignedAuthority.make(
            hosts: ["push.example.test", "localhost", "127.0.0.1", "::1"])
    }

    @Test(arguments: ["push.example.test", "localhost", "127.0.0.1", "::1"])
    func `every host of the certificate is accepted`(host: String) throws {
        var pair = try SessionPair(authority: authority, serverName: host)
        pair.settle()
        #expect(pair.clientError == nil)
        #expect(pair.client.isEstablished)
        #expect(pair.server.isEstablished)
        #expect(pair.client.applicationProtocol == "h2")
        #expect(pair.server.applicationProtocol == "h2")
    }

    @Test(arguments: ["other.example.test", "example.test", "127.0.0.2", "sub.localhost"])
    func `a certificate for another host is refused`(host: String) throws {
        var pair = try SessionPair(authority: authority, serverName: host)
        pair.settle()
        guard case .peerRefused(let reason) = pair.clientError else {
            Issue.record("expected a refusal, got \(String(describing: pair.clientError))")
            return
        }
        #expect(reason.contains("mismatch"))
        #expect(!pair.client.isEstablished)
        #expect(pair.serverError != nil, "the server is told by an alert")
    }

    @Test func `an authority that is not trusted is refused`() throws {
        let other = try SelfSignedAuthority.make(hosts: ["localhost"])
        for trust in [TLSContext.Trust.pem(other.authorityPEM), .system] {
            var pair = try SessionPair(
                authority: authority, serverName: "localhost", trust: trust)
            pair.settle()
            guard case .peerRefused(let reason) = pair.clientError else {
                Issue.record("expected a refusal, got \(String(describing: pair.clientError))")
                return
            }
            #expect(reason.contains("certificate"))
        }
    }

    @Test func `a server certificate cannot pose as an authority`() throws {
        var pair = try SessionPair(
            authority: authority, serverName: "localhost", trust: .pem(authority.certificatePEM))
        pair.settle()
        // OpenSSL takes a trusted leaf only when told to; without its issuer it is no anchor.
        #expect(pair.clientError != nil)
    }

    @Test func `the first protocol the server wants of those offered is chosen`() throws {
        var pair = try SessionPair(
            authority: authority, serverName: "localhost", clientALPN: ["http/1.1", "h2"],
            serverALPN: ["h2", "http/1.1"])
        pair.settle()
        #expect(pair.client.applicationProtocol == "h2")
    }

    @Test func `a client that offers only other protocols is refused`() throws {
        var pair = try SessionPair(
            authority: authority, serverName: "localhost", clientALPN: ["http/1.1"])
        pair.settle()
        #expect(pair.clientError != nil)
        #expect(pair.serverError != nil)
        #expect(!pair.client.isEstablished)
    }

    @Test func `a client without protocols is let through without one`() throws {
        var pair = try SessionPair(authority: authority, serverName: "localhost", clientALPN: [])
        pair.settle()
        #expect(pair.client.isEstablished)
        #expect(pair.server.applicationProtocol == nil)
    }

    @Test func `large messages arrive whole in both directions`() throws {
        var pair = try SessionPair(authority: authority, serverName: "localhost")
        pair.settle()
        let message = SecureRandom.bytes(300_000)
        let answer = SecureRandom.bytes(70_001)
        try message.withUnsafeBytes { try pair.client.send($0) }
        try answer.withUnsafeBytes { try pair.server.send($0) }
        pair.settle()
        #expect(pair.serverReceived == message)
        #expect(pair.clientReceived == answer)
    }

    @Test func `ciphertext may arrive a byte at a time`() throws {
        let pair = try SessionPair(authority: authority, serverName: "localhost")
        try pair.client.begin()
        var received: [UInt8] = []
        var sent = false
        for _ in 0..<20 {
            for byte in pair.client.takeCiphertext() {
                _ = try withUnsafeBytes(of: byte) { bytes in
                    try pair.server.receive(bytes) { received.append(contentsOf: $0) }
                }
            }
            for byte in pair.server.takeCiphertext() {
                _ = try withUnsafeBytes(of: byte) { try pair.client.receive($0) { _ in } }
            }
            if pair.client.isEstablished && !sent {
                try Array("hello".utf8).withUnsafeBytes { try pair.client.send($0) }
                sent = true
            }
        }
        #expect(received == Array("hello".utf8))
    }

    @Test func `a tampered record ends the session with an error`() throws {
        var pair = try SessionPair(authority: authority, serverName: "localhost")
        pair.settle()
        try Array("hello".utf8).withUnsafeBytes { try pair.client.send($0) }
        var record = pair.client.takeCiphertext()
        record[record.count - 1] ^= 1
        #expect(throws: TLSError.self) {
            _ = try record.withUnsafeBytes { bytes in
                try pair.server.receive(bytes) { _ in Issue.record("forged bytes came through") }
            }
        }
    }

    @Test func `bytes that are not TLS end the handshake with an error`() throws {
        let pair = try SessionPair(authority: authority, serverName: "localhost")
        let request = Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        #expect(throws: TLSError.self) {
            _ = try request.withUnsafeBytes { try pair.server.receive($0) { _ in } }
        }
        #expect(!pair.server.isEstablished)
    }

    @Test func `a proper close is seen as one`() throws {
        var pair = try SessionPair(authority: authority, serverName: "localhost")
        pair.settle()
        pair.client.close()
        let isOpen = try pair.client.takeCiphertext().withUnsafeBytes {
            try pair.server.receive($0) { _ in }
        }
        #expect(!isOpen)
    }
}
