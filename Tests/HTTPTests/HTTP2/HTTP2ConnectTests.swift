import EventLoop
import HTTP
import TLS
import Testing

/// Which servers the client talks to, and which it refuses.
@Suite(.timeLimit(.minutes(1)))
struct HTTP2ConnectTests {
    private let answering: HTTP2Fixture.Answering = { _, _ in .response(Response(status: 200)) }

    @Test func `a host name is resolved and checked against the certificate`() async throws {
        try await HTTP2Fixture.run(answering: answering) { fixture in
            let connection = try await fixture.connect(host: "localhost")
            #expect(try await connection.get("/").status == 200)
        }
    }

    @Test func `a certificate for another host is refused with the reason`() async throws {
        try await HTTP2Fixture.run(hosts: ["push.example.test"], answering: answering) { fixture in
            await #expect {
                _ = try await fixture.connect(host: "localhost")
            } throws: { error in
                guard case HTTPError.tls(let reason) = error else { return false }
                return reason.contains("mismatch")
            }
        }
    }

    @Test func `an authority that is not trusted is refused with the reason`() async throws {
        let other = try SelfSignedAuthority.make(hosts: ["localhost"])
        try await HTTP2Fixture.run(answering: answering) { fixture in
            for trust in [TLSContext.Trust.system, .pem(other.authorityPEM)] {
                let tls = try TLSContext.client(trust: trust)
                await #expect {
                    _ = try await fixture.connect(host: "localhost", tls: tls)
                } throws: { error in
                    guard case HTTPError.tls(let reason) = error else { return false }
                    return reason.contains("certificate")
                }
            }
        }
    }

    @Test func `a server that speaks only HTTP1 is refused`() async throws {
        let loop = EventLoop(name: "h1-only")
        let authority = try SelfSignedAuthority.make(hosts: ["127.0.0.1"])
        for alpn in [["http/1.1"], []] {
            let tls = try TLSContext.server(
                certificateChainPEM: authority.certificatePEM,
                privateKeyPEM: authority.privateKeyPEM, alpn: alpn)
            let server = HTTP2Server(loop: loop, host: "127.0.0.1", port: 0, tls: tls) { _ in
                .response(Response(status: 200))
            }
            let port = try await server.start()
            await #expect {
                _ = try await HTTP2Connection.connect(
                    loop: loop, host: "127.0.0.1", port: port,
                    tls: .client(trust: .pem(authority.authorityPEM)), timeout: .seconds(5))
            } throws: { error in
                guard case HTTPError.tls = error else { return false }
                return true
            }
            await server.drain(within: .milliseconds(100))
        }
        await loop.shutdown()
    }

    @Test func `a closed port and an unknown host say so`() async throws {
        let loop = EventLoop(name: "nobody")
        let tls = try TLSContext.client(trust: .system)
        for host in ["127.0.0.1", "nowhere.invalid"] {
            await #expect {
                _ = try await HTTP2Connection.connect(
                    loop: loop, host: host, port: 1, tls: tls, timeout: .seconds(10))
            } throws: { error in
                guard case HTTPError.cannotConnect(let reason) = error else { return false }
                return reason.contains(host)
            }
        }
        await loop.shutdown()
    }

    @Test func `a server that accepts and says nothing runs into the time limit`() async throws {
        let loop = EventLoop(name: "silent")
        let tls = try TLSContext.client(trust: .system)
        let port = try await loop.submit {
            try loop.listen(host: "127.0.0.1", port: 0) { $0.onBytes = { _ in } }.port
        }
        await #expect(throws: HTTPError.deadlineExceeded) {
            _ = try await HTTP2Connection.connect(
                loop: loop, host: "127.0.0.1", port: port, tls: tls, timeout: .milliseconds(200))
        }
        await loop.shutdown()
    }

    @Test func `a server that answers with anything but TLS is an error`() async throws {
        let loop = EventLoop(name: "plain")
        let tls = try TLSContext.client(trust: .system)
        let port = try await loop.submit {
            try loop.listen(host: "127.0.0.1", port: 0) { socket in
                socket.onBytes = { _ in
                    socket.write(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
                }
            }.port
        }
        await #expect {
            _ = try await HTTP2Connection.connect(
                loop: loop, host: "127.0.0.1", port: port, tls: tls, timeout: .seconds(5))
        } throws: { error in
            guard case HTTPError.tls = error else { return false }
            return true
        }
        await loop.shutdown()
    }
}
