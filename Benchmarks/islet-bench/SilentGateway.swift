import APNs
import EventLoop
import Foundation
import HTTP
import TLS

/// Islet's HTTP/2 server with a handler that accepts every push and does nothing with it, so that a
/// client's speed is not hidden behind the simulator's checks. It allows 1,000 streams from the
/// start: h2load opens a hundred before it has read the server's settings.
enum SilentGateway {
    private static let streamsMax = 1_000
    private static let bodyBytes = 1_024

    /// Prints a `Target`, then serves until standard input ends.
    static func run() async throws {
        let (server, target) = try await start(on: EventLoop(name: "gateway"), handler: accept)
        try IsletBench.print(target)
        await standardInputEnds()
        await server.drain(within: .seconds(1))
    }

    /// - Returns: the server, which has begun to serve, and how to push to it.
    static func start(
        on loop: EventLoop, handler: @escaping Handler
    ) async throws -> (HTTP2Server, Target) {
        let authority = try SelfSignedAuthority.make(hosts: ["127.0.0.1"])
        let tls = try TLSContext.server(
            certificateChainPEM: authority.certificatePEM,
            privateKeyPEM: authority.privateKeyPEM, alpn: ["h2"])
        let server = HTTP2Server(
            loop: loop, host: "127.0.0.1", port: 0, tls: tls, maxConcurrentStreams: streamsMax,
            answering: { .response(await handler($0)) })
        let port = try await server.start()
        return (server, target(port: port, authorityPEM: authority.authorityPEM))
    }

    static let accept: Handler = { request in
        let headers = request.headers
        guard headers["authorization"] != nil, let id = headers["apns-id"],
            !request.body.isEmpty
        else { return Response(status: 400) }
        return Response(status: 200, headers: ["apns-id": id])
    }

    private static func target(port: Int, authorityPEM: String) -> Target {
        var payload = Payload(
            event: .update, timestamp: 1_700_000_000, contentState: Data(#"{"note":""}"#.utf8))
        let padding = String(repeating: "x", count: bodyBytes - payload.json.count)
        payload.contentState = Data(#"{"note":"\#(padding)"}"#.utf8)
        let push = APNsRequest.device(
            tokenHex: String(repeating: "0a", count: 80), bundleID: "dev.islet.bench",
            apnsID: "2f9a3c1e-7d44-4b0a-9c55-0e6f8a1b2c3d", priority: .immediate,
            expiration: 1_700_003_600, body: payload.json)
        let token = ProviderToken(keyID: "BENCHKEY01", teamID: "BENCHTEAM1", issuedAt: 1)
        let signed = token.signed(with: ES256PrivateKey.generate().sign(token.signingInput))
        var headers = ["authorization": "bearer \(signed)"]
        for header in push.headers { headers[header.name] = header.value }
        return Target(
            port: port, authorityPEM: authorityPEM, path: push.path, headers: headers,
            body: String(decoding: push.body, as: UTF8.self))
    }

    private static func standardInputEnds() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                while readLine() != nil {}
                continuation.resume()
            }
        }
    }
}
