import APNs
import APNsClient
import EventLoop
import Foundation
import HTTP
import TLS

/// A server that answers as each test says, and a client for it. Checks provider tokens with the
/// public key, as Apple does; knows nothing of how the client makes them.
struct APNsStandIn {
    typealias Answering =
        @Sendable (Request, Int, HTTP2Server) async -> HTTP2Server.Answer

    let loop: EventLoop
    let server: HTTP2Server
    let client: APNsClient
    let port: Int
    let authority: SelfSignedAuthority
    let tls: TLSContext
    let key: ES256PrivateKey
    let clock: Lock<Int64>
    /// Every request so far, in the order of arrival.
    let seen: Lock<[Request]>

    static let teamID = "TEAM567890"
    static let keyID = "KEY4567890"
    static let startSeconds: Int64 = 1_800_000_000

    /// - Parameter answering: gets the request, its number from 1, and the server.
    static func run(
        maxConcurrentStreams: Int = 100, timing: APNsTiming = .standard,
        hosts: [String] = ["127.0.0.1"], isExpired: Bool = false, answering: @escaping Answering,
        body: (APNsStandIn) async throws -> Void
    ) async throws {
        let loop = EventLoop(name: "apns-test")
        let authority = try SelfSignedAuthority.make(hosts: hosts, isExpired: isExpired)
        let known = Lock<HTTP2Server?>(nil)
        let seen = Lock<[Request]>([])
        let server = HTTP2Server(
            loop: loop, host: "127.0.0.1", port: 0,
            tls: try .server(
                certificateChainPEM: authority.certificatePEM,
                privateKeyPEM: authority.privateKeyPEM),
            maxConcurrentStreams: maxConcurrentStreams,
            answering: { request in
                guard let server = known.withLock({ $0 }) else { return .disconnect }
                let number = seen.withLock { seen in
                    seen.append(request)
                    return seen.count
                }
                return await answering(request, number, server)
            })
        known.withLock { $0 = server }
        let key = ES256PrivateKey.generate()
        let clock = Lock(startSeconds)
        let port = try await server.start()
        let tls = try TLSContext.client(trust: .pem(authority.authorityPEM))
        let client = APNsClient(
            loop: loop, endpoint: APNsEndpoint(host: "127.0.0.1", port: port), tls: tls,
            credentials: APNsCredentials(teamID: teamID, keyID: keyID, key: key),
            timing: timing, now: { clock.withLock { $0 } }, jitter: { 0 })
        let standIn = APNsStandIn(
            loop: loop, server: server, client: client, port: port, authority: authority,
            tls: tls, key: key, clock: clock, seen: seen)
        do {
            try await body(standIn)
        } catch {
            await standIn.stop(known)
            throw error
        }
        await standIn.stop(known)
    }

    private func stop(_ known: Lock<HTTP2Server?>) async {
        known.withLock { $0 = nil }
        await client.close()
        await server.drain(within: .milliseconds(200))
        await loop.shutdown()
    }

    /// Another client of the same server, which its maker has to close.
    func client(
        timing: APNsTiming = .standard, network: APNsNetwork = APNsNetwork()
    ) -> APNsClient {
        APNsClient(
            loop: loop, endpoint: APNsEndpoint(host: "127.0.0.1", port: port), tls: tls,
            credentials: APNsCredentials(teamID: Self.teamID, keyID: Self.keyID, key: key),
            timing: timing, network: network, now: { Self.startSeconds }, jitter: { 0 })
    }

    /// A client of the server at a port, which its maker has to close.
    static func client(
        of port: Int, on loop: EventLoop, trusting trust: TLSContext.Trust,
        timing: APNsTiming = .standard
    ) throws -> APNsClient {
        APNsClient(
            loop: loop, endpoint: APNsEndpoint(host: "127.0.0.1", port: port),
            tls: try .client(trust: trust),
            credentials: APNsCredentials(teamID: teamID, keyID: keyID, key: .generate()),
            timing: timing, now: { startSeconds })
    }

    /// Sends so many pushes at once.
    static func burst(_ count: Int, to client: APNsClient) async -> Tally {
        await withTaskGroup(of: PushResult.self) { group in
            for number in 1...count {
                group.addTask { await client.send(push(number)) }
            }
            return await group.reduce(into: Tally()) { $0.count($1) }
        }
    }

    var requests: [Request] { seen.withLock { $0 } }

    /// The distinct provider tokens seen so far, in order.
    var tokens: [String] {
        requests.compactMap { $0.headers["authorization"] }.reduce(into: []) {
            if !$0.contains($1) { $0.append($1) }
        }
    }

    static func push(_ number: Int = 1) -> APNsRequest {
        .device(
            tokenHex: String(repeating: "ab", count: 80), bundleID: "test.example.app",
            apnsID: "00000000-0000-4000-8000-\(String(format: "%012d", number))",
            priority: .immediate, expiration: 0, body: Array("{}".utf8))
    }
}

extension HTTP2Server.Answer {
    static let ok = HTTP2Server.Answer.response(Response(status: 200))

    static func refusal(_ status: Int, _ reason: String) -> HTTP2Server.Answer {
        .response(
            Response(status: status, body: .bytes(Array(#"{"reason":"\#(reason)"}"#.utf8))))
    }
}

/// Results of pushes: each is in exactly one of the three.
struct Tally: Equatable {
    var answered = 0
    var unsent = 0
    var maybeDelivered = 0

    mutating func count(_ result: PushResult) {
        if case .answered = result { answered += 1 }
        if case .notAnswered(_, mayHaveBeenDelivered: true) = result { maybeDelivered += 1 }
        if result.unsentReason != nil { unsent += 1 }
    }
}

extension PushResult {
    /// Why there is no answer to a push that was certainly not delivered.
    var unsentReason: String? {
        guard case .notAnswered(let reason, mayHaveBeenDelivered: false) = self else { return nil }
        return reason
    }
}
