import APNs
import APNsClient
import EventLoop
import HTTP
import TLS
import TestSupport
import Testing

/// The circuit breaker around a real host that comes and goes.
@Suite(.timeLimit(.minutes(1)))
struct CircuitTests {
    private let ok = PushResult.answered(PushResponse(status: 200))

    @Test func `it opens after five failures, fails pushes at once, and closes by one probe`()
        async throws
    {
        try await APNsStandIn.run { _, _, _ in
            .ok
        } body: { standIn in
            let diagnostics = Lock<[Circuits.Diagnostic]>([])
            let circuits = Circuits { diagnostic in diagnostics.withLock { $0.append(diagnostic) } }
            // The peer hides behind a proxy that is not there yet.
            let proxyPort = try await standIn.loop.submit {
                let listener = try standIn.loop.listen(host: "127.0.0.1", port: 0) { $0.close() }
                listener.close()
                return listener.port
            }
            let network = APNsNetwork(
                proxy: HTTPProxy(host: "127.0.0.1", port: proxyPort), circuits: circuits)
            var timing = APNsTiming()
            timing.reconnectDelayMin = .milliseconds(40)
            timing.reconnectDelayMax = .seconds(2)
            let client = standIn.client(timing: timing, network: network)
            for number in 1...5 {
                let reason = await client.send(APNsStandIn.push(number)).unsentReason ?? ""
                #expect(reason.hasPrefix("cannot connect"))
            }
            let other = standIn.client(timing: timing, network: network)
            let begin = ContinuousClock.now
            for refused in [client, other] {
                let reason = await refused.send(APNsStandIn.push()).unsentReason ?? ""
                #expect(reason.contains("the circuit breaker for 127.0.0.1"))
            }
            #expect(ContinuousClock.now - begin < .milliseconds(100))
            let proxy = ProxyStandIn(standIn.loop)
            _ = try await proxy.start(port: proxyPort)
            try await waitUntil { await other.send(APNsStandIn.push()) == ok }
            #expect(await client.send(APNsStandIn.push()) == ok)
            let endpoint = APNsEndpoint(host: "127.0.0.1", port: standIn.port)
            let told = diagnostics.withLock { $0 }
            #expect(told.count == 2)
            guard case .opened(endpoint, failures: 5, let reason) = told.first else {
                Issue.record("unexpected: \(told)")
                return
            }
            #expect(reason.contains("the proxy 127.0.0.1:\(proxyPort)"))
            #expect(told.last == .closed(endpoint))
            await client.close()
            await other.close()
        }
    }
}
