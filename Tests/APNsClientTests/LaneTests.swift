import APNs
import APNsClient
import EventLoop
import HTTP
import TLS
import TestSupport
import Testing

/// Long lists of pushes beside a few.
@Suite struct LaneTests {
    private static func pushes(_ numbers: ClosedRange<Int>) -> [APNsRequest] {
        numbers.map { APNsStandIn.push($0) }
    }

    private static func number(of request: Request) -> Int {
        Int(request.headers["apns-id"]?.suffix(12) ?? "") ?? 0
    }

    @Test func `a few pushes do not wait behind a page that nobody answers`() async throws {
        let gate = Gate()
        let proven = Lock<Set<UInt64>>([])
        try await APNsStandIn.run(maxConcurrentStreams: 4) { request, _, _ in
            // The first request of each connection is answered at once and proves it.
            let isFirst = proven.withLock { $0.insert(request.connectionID).inserted }
            if !isFirst, Self.number(of: request) <= 200 { await gate.pass() }
            return .ok
        } body: { standIn in
            async let page = standIn.client.send(Self.pushes(1...200))
            await gate.arrivals(4)
            let few = await standIn.client.send(Self.pushes(301...303))
            #expect(few.map(\.isAnswered) == [true, true, true])
            let arrived = standIn.requests.count { Self.number(of: $0) <= 200 }
            #expect(arrived < 200)
            await gate.open()
            #expect(await page.allSatisfy { $0.isAnswered })
        }
    }

    @Test func `pages leave one connection to the few`() async throws {
        try await APNsStandIn.run { _, _, _ in
            .ok
        } body: { standIn in
            // The second connection is opened while the first one is in use, and may take longer.
            var first = 1000
            try await waitUntil {
                _ = await standIn.client.send(Self.pushes(first...first + 199))
                first += 200
                return Set(standIn.requests.map(\.connectionID)).count == 2
            }
            _ = await standIn.client.send(Self.pushes(201...400))
            _ = await standIn.client.send(Self.pushes(401...401))
            func connections(_ numbers: ClosedRange<Int>) -> Set<UInt64> {
                Set(
                    standIn.requests.filter { numbers.contains(Self.number(of: $0)) }
                        .map(\.connectionID))
            }
            // A busy machine may have opened a third one.
            #expect(connections(201...400).count < connections(1...first).count)
            #expect(connections(401...401).isDisjoint(with: connections(201...400)))
        }
    }

    @Test func `pages go on although the second connection has no stream for anybody`()
        async throws
    {
        try await APNsStandIn.run { _, _, _ in
            .ok
        } body: { standIn in
            let proxy = ProxyStandIn(standIn.loop)
            let client = standIn.client(
                network: APNsNetwork(
                    proxy: HTTPProxy(host: "127.0.0.1", port: try await proxy.start())))
            _ = await client.send(APNsStandIn.push())
            let full = HTTP2Server(
                loop: standIn.loop, host: "127.0.0.1", port: 0,
                tls: try .server(
                    certificateChainPEM: standIn.authority.certificatePEM,
                    privateKeyPEM: standIn.authority.privateKeyPEM),
                maxConcurrentStreams: 0
            ) { _ in .ok }
            await proxy.lead(to: try await full.start())
            try await waitUntil {
                _ = await client.send(Self.pushes(1...200))
                return proxy.seen.value.tunnels == 2
            }
            // Until it has shaken hands.
            try await Task.sleep(for: .milliseconds(500))
            #expect(await client.send(Self.pushes(1...200)).allSatisfy { $0.isAnswered })
            await client.close()
            await full.drain(within: .milliseconds(100))
        }
    }

    @Test func `the answers to a page come in the order of its pushes`() async throws {
        try await APNsStandIn.run { request, _, _ in
            Self.number(of: request) % 3 == 0 ? .refusal(410, "Unregistered") : .ok
        } body: { standIn in
            let results = await standIn.client.send(Self.pushes(1...300))
            let statuses = results.map { result in
                if case .answered(let response) = result { response.status } else { 0 }
            }
            #expect(statuses == (1...300).map { $0 % 3 == 0 ? 410 : 200 })
        }
    }
}

extension PushResult {
    fileprivate var isAnswered: Bool {
        if case .answered = self { true } else { false }
    }
}
