import EventLoop
import Foundation
import HTTP
import TLS
import TestSupport

/// A server on a real socket with a certificate of its own, and the means to connect to it.
struct HTTP2Fixture {
    typealias Answering = @Sendable (Request, HTTP2Server) async -> HTTP2Server.Answer

    let loop: EventLoop
    let server: HTTP2Server
    let port: Int
    let authority: SelfSignedAuthority
    let tls: TLSContext

    /// Runs `body` against a server, then stops everything.
    static func run(
        hosts: [String] = ["localhost", "127.0.0.1"], maxConcurrentStreams: Int = 1_000,
        limits: ServerLimits = .standard, answering: @escaping Answering,
        body: (HTTP2Fixture) async throws -> Void
    ) async throws {
        let loop = EventLoop(name: "h2-test")
        let authority = try SelfSignedAuthority.make(hosts: hosts)
        let tls = try TLSContext.server(
            certificateChainPEM: authority.certificatePEM, privateKeyPEM: authority.privateKeyPEM)
        let known = Lock<HTTP2Server?>(nil)
        let server = HTTP2Server(
            loop: loop, host: "127.0.0.1", port: 0, tls: tls,
            maxConcurrentStreams: maxConcurrentStreams, limits: limits,
            answering: { request in
                guard let server = known.withLock({ $0 }) else { return .disconnect }
                return await answering(request, server)
            })
        known.withLock { $0 = server }
        let fixture = HTTP2Fixture(
            loop: loop, server: server, port: try await server.start(), authority: authority,
            tls: try TLSContext.client(trust: .pem(authority.authorityPEM)))
        do {
            try await body(fixture)
        } catch {
            await fixture.stop()
            throw error
        }
        known.withLock { $0 = nil }
        await fixture.stop()
    }

    private func stop() async {
        await server.drain(within: .milliseconds(200))
        await loop.shutdown()
    }

    func connect(
        host: String = "127.0.0.1", tls: TLSContext? = nil, timeout: Duration = .seconds(10),
        responseBytesMax: Int = HTTP2Connection.responseBytesMaxDefault
    ) async throws(HTTPError) -> HTTP2Connection {
        try await HTTP2Connection.connect(
            loop: loop, host: host, port: port, tls: tls ?? self.tls, timeout: timeout,
            responseBytesMax: responseBytesMax)
    }
}

extension HTTP2Connection {
    func get(
        _ target: String, deadline: Duration = .seconds(20)
    ) async throws(HTTPError) -> Response {
        try await send(Request(method: "GET", target: target), deadline: deadline)
    }

    /// The error of a request that is expected to fail.
    func failure(of target: String, deadline: Duration = .seconds(20)) async -> HTTPError? {
        do throws(HTTPError) {
            _ = try await get(target, deadline: deadline)
            return nil
        } catch {
            return error
        }
    }
}

extension Response {
    static func text(_ text: String, status: Int = 200) -> Response {
        Response(status: status, body: .bytes(Array(text.utf8)))
    }

    var bytes: [UInt8] {
        guard case .bytes(let bytes) = body else { return [] }
        return bytes
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}
