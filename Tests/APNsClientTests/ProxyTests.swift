import APNs
import APNsClient
import EventLoop
@testable import HTTP
import TLS
import TestSupport
import Testing

/// The way through a proxy, and connections that die without a word.
@Suite(.timeLimit(.minutes(1)))
struct ProxyTests {
    private let ok = PushResult.answered(PushResponse(status: 200))

    @Test func `pushes go through the tunnel, to the certificate of the far end`() async throws {
        try await APNsStandIn.run { _, _, _ in
            .ok
        } body: { standIn in
            let proxy = ProxyStandIn(standIn.loop)
            let client = standIn.client(
                network: APNsNetwork(
                    proxy: HTTPProxy(
                        host: "127.0.0.1", port: try await proxy.start(),
                        authorization: "Basic dXNlcjpwYXNz")))
            let tally = await APNsStandIn.burst(50, to: client)
            #expect(tally == Tally(answered: 50))
            let seen = proxy.seen.withLock { $0 }
            #expect(seen.tunnels == 1)
            let target = "127.0.0.1:\(standIn.port)"
            #expect(
                seen.heads == [
                    "CONNECT \(target) HTTP/1.1\r\nhost: \(target)\r\n"
                        + "proxy-authorization: Basic dXNlcjpwYXNz\r\n\r\n"
                ])
            await client.close()
        }
    }

    @Test(arguments: [
        (407, "wants another user and password (407)"), (403, "does not let us through to"),
        (502, "cannot reach"), (418, "answers CONNECT with status 418"),
    ])
    func `a proxy's refusal is the reason, and shows no password`(
        status: Int, words: String
    ) async throws {
        try await APNsStandIn.run { _, _, _ in
            .ok
        } body: { standIn in
            let proxy = ProxyStandIn(standIn.loop, status: status)
            let client = standIn.client(
                network: APNsNetwork(
                    proxy: HTTPProxy(
                        host: "127.0.0.1", port: try await proxy.start(),
                        authorization: "Basic c2VjcmV0")))
            let reason = await client.send(APNsStandIn.push()).unsentReason ?? ""
            #expect(reason.contains("the proxy 127.0.0.1:"))
            #expect(reason.contains(words))
            #expect(!reason.contains("c2VjcmV0"))
            #expect(standIn.requests.isEmpty)
            await client.close()
        }
    }

    @Test func `a proxy that is not there is named, and none of its secrets shown`() async throws {
        try await APNsStandIn.run { _, _, _ in
            .ok
        } body: { standIn in
            let proxy = HTTPProxy(host: "127.0.0.1", port: 1, authorization: "Basic c2VjcmV0")
            let client = standIn.client(network: APNsNetwork(proxy: proxy))
            let reason = await client.send(APNsStandIn.push()).unsentReason ?? ""
            #expect(reason.contains("the proxy 127.0.0.1:1"))
            var dumped = ""
            dump(proxy, to: &dumped)
            #expect(!"\(proxy) \(reason) \(dumped)".contains("c2VjcmV0"))
            await client.close()
        }
    }

    @Test func `a connection that died under a push is found out before its deadline`()
        async throws
    {
        try await throughProxy(HTTP2Ping(whileWaiting: .milliseconds(100))) { client, proxy, _ in
            #expect(await client.send(APNsStandIn.push(1)) == ok)
            await proxy.freeze()
            #expect(
                await client.send(APNsStandIn.push(2))
                    == .notAnswered(
                        reason: "the connection was lost", mayHaveBeenDelivered: true))
            #expect(await client.send(APNsStandIn.push(3)) == ok)
            #expect(proxy.seen.withLock { $0.tunnels } == 2)
        }
    }

    @Test func `a connection that died while it was idle costs no push`() async throws {
        try await throughProxy(HTTP2Ping(afterSilence: .milliseconds(100))) { client, proxy, _ in
            #expect(await client.send(APNsStandIn.push(1)) == ok)
            await proxy.freeze()
            try await Task.sleep(for: .milliseconds(700))
            #expect(await client.send(APNsStandIn.push(2)) == ok)
            #expect(proxy.seen.withLock { $0.tunnels } == 2)
        }
    }

    @Test func `a host that has moved is found at its next address`() async throws {
        try await throughProxy(.standard) { client, proxy, standIn in
            #expect(await client.send(APNsStandIn.push(1)) == ok)
            let arrived = Lock(0)
            let elsewhere = HTTP2Server(
                loop: standIn.loop, host: "127.0.0.1", port: 0,
                tls: try .server(
                    certificateChainPEM: standIn.authority.certificatePEM,
                    privateKeyPEM: standIn.authority.privateKeyPEM)
            ) { _ in
                arrived.withLock { $0 += 1 }
                return .ok
            }
            await proxy.move(to: try await elsewhere.start())
            // Sent before the cut is noticed, the push would be one that may have arrived.
            try await Task.sleep(for: .milliseconds(100))
            #expect(await client.send(APNsStandIn.push(2)) == ok)
            #expect(standIn.requests.count == 1)
            #expect(arrived.withLock { $0 } == 1)
            await elsewhere.drain(within: .milliseconds(100))
        }
    }

    private func throughProxy(
        _ ping: HTTP2Ping, _ body: (APNsClient, ProxyStandIn, APNsStandIn) async throws -> Void
    ) async throws {
        var ping = ping
        ping.timeout = .milliseconds(200)
        try await APNsStandIn.run { _, _, _ in
            .ok
        } body: { standIn in
            let proxy = ProxyStandIn(standIn.loop)
            var timing = APNsTiming()
            timing.reconnectDelayMin = .milliseconds(10)
            timing.ping = ping
            let client = standIn.client(
                timing: timing,
                network: APNsNetwork(
                    proxy: HTTPProxy(host: "127.0.0.1", port: try await proxy.start())))
            try await body(client, proxy, standIn)
            await client.close()
        }
    }
}
