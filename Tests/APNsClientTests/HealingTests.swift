import APNs
import APNsClient
import EventLoop
import Foundation
import HTTP
import TLS
import TestSupport
import Testing

/// The client after the connection failed it.
@Suite(.timeLimit(.minutes(1)))
struct HealingTests {
    private let ok = PushResult.answered(PushResponse(status: 200))

    @Test func `a push that the peer did not process is sent again on a new connection`()
        async throws
    {
        try await APNsStandIn.run { request, number, server in
            if number == 2 {
                server.goAway(
                    connection: request.connectionID, body: Array(#"{"reason":"Shutdown"}"#.utf8),
                    lastStreamID: 1)
            }
            return .ok
        } body: { standIn in
            for number in 1...3 {
                #expect(await standIn.client.send(APNsStandIn.push(number)) == ok)
            }
            #expect(standIn.requests.count == 4)
            #expect(Set(standIn.requests.map(\.connectionID)).count == 2)
        }
    }

    @Test func `a refused stream is sent again, but not for ever`() async throws {
        try await APNsStandIn.run { _, number, _ in
            number == 2 || number > 3 ? .reset(.refusedStream) : .ok
        } body: { standIn in
            #expect(await standIn.client.send(APNsStandIn.push(1)) == ok)
            #expect(await standIn.client.send(APNsStandIn.push(2)) == ok)
            let result = await standIn.client.send(APNsStandIn.push(3))
            guard case .notAnswered(_, mayHaveBeenDelivered: false) = result else {
                Issue.record("unexpected: \(result)")
                return
            }
            #expect(standIn.requests.count == 6)
        }
    }

    @Test func `a push under way on a lost connection is not sent again`() async throws {
        try await APNsStandIn.run { _, number, _ in
            number == 2 ? .disconnect : .ok
        } body: { standIn in
            #expect(await standIn.client.send(APNsStandIn.push(1)) == ok)
            #expect(
                await standIn.client.send(APNsStandIn.push(2))
                    == .notAnswered(
                        reason: "the connection was lost", mayHaveBeenDelivered: true))
            #expect(await standIn.client.send(APNsStandIn.push(3)) == ok)
            #expect(standIn.requests.count == 3)
        }
    }

    @Test func `every push of a burst ends when the connection is lost under it`() async throws {
        let gate = Gate()
        try await APNsStandIn.run(maxConcurrentStreams: 50) { _, number, _ in
            if number == 1 { return .ok }
            if number == 50 { return .disconnect }
            await gate.pass()
            return .ok
        } body: { standIn in
            _ = await standIn.client.send(APNsStandIn.push(0))
            await gate.open()
            let results = await withTaskGroup(of: PushResult.self) { group in
                for number in 1...500 {
                    group.addTask { await standIn.client.send(APNsStandIn.push(number)) }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.count == 500)
            let answered = results.count { $0 == ok }
            let lost = results.count {
                $0
                    == .notAnswered(
                        reason: "the connection was lost", mayHaveBeenDelivered: true)
            }
            #expect(answered + lost == 500)
            #expect((1...50).contains(lost))
        }
    }

    @Test func `with nobody there each push fails soon, and the client finds the peer later`()
        async throws
    {
        let loop = EventLoop(name: "nobody")
        let authority = try SelfSignedAuthority.make(hosts: ["127.0.0.1"])
        // A port that was free a moment ago.
        let port = try await loop.submit {
            let listener = try loop.listen(host: "127.0.0.1", port: 0) { $0.close() }
            listener.close()
            return listener.port
        }
        var timing = APNsTiming()
        timing.reconnectDelayMin = .milliseconds(10)
        timing.reconnectDelayMax = .milliseconds(40)
        let client = try APNsStandIn.client(
            of: port, on: loop, trusting: .pem(authority.authorityPEM), timing: timing)
        for _ in 0..<3 {
            let result = await client.send(APNsStandIn.push())
            guard case .notAnswered(let reason, mayHaveBeenDelivered: false) = result else {
                Issue.record("unexpected: \(result)")
                continue
            }
            #expect(reason.contains("127.0.0.1:\(port)"))
        }
        let server = HTTP2Server(
            loop: loop, host: "127.0.0.1", port: port,
            tls: try .server(
                certificateChainPEM: authority.certificatePEM,
                privateKeyPEM: authority.privateKeyPEM)
        ) { _ in .ok }
        _ = try await server.start()
        #expect(await client.send(APNsStandIn.push()) == ok)
        await client.close()
        await server.drain(within: .milliseconds(100))
        await loop.shutdown()
    }

    @Test func `a certificate that is not trusted is named as the reason`() async throws {
        let loop = EventLoop(name: "untrusted")
        let authority = try SelfSignedAuthority.make(hosts: ["127.0.0.1"])
        let server = HTTP2Server(
            loop: loop, host: "127.0.0.1", port: 0,
            tls: try .server(
                certificateChainPEM: authority.certificatePEM,
                privateKeyPEM: authority.privateKeyPEM)
        ) { _ in .ok }
        let client = try APNsStandIn.client(
            of: try await server.start(), on: loop, trusting: .system)
        let result = await client.send(APNsStandIn.push())
        guard case .notAnswered(let reason, mayHaveBeenDelivered: false) = result else {
            Issue.record("unexpected: \(result)")
            return
        }
        #expect(reason.contains("certificate"))
        await client.close()
        await server.drain(within: .milliseconds(100))
        await loop.shutdown()
    }
}
