import EventLoop
import TestSupport
import Testing

@testable import HTTP

/// Lets in a client that has a name in `x-who`, and takes 2,000 bytes from it at most.
private let door: Admitter = { request in
    guard let who = request.headers["x-who"] else {
        return .refused(Response(status: 401, body: .bytes(Array("who?".utf8))))
    }
    return .admitted(
        Admission.Terms(
            bodyBytesMax: 50_000, owners: [BodyOwner(who, bytesMax: 60_000)],
            caller: NamedCaller(who)))
}

/// Says whom the request is from and how long its body is.
private let greet: Handler = { request in
    let who = (request.caller as? NamedCaller)?.name ?? "nobody"
    return Response(status: 200, body: .bytes(Array("\(who) \(request.body.count)".utf8)))
}

private func post(_ count: Int, who: String? = "ann", _ more: String = "") -> String {
    "POST / HTTP/1.1\r\nHost: a\r\n\(more)\(who.map { "X-Who: \($0)\r\n" } ?? "")"
        + "Content-Length: \(count)\r\n\r\n"
}

/// How much has come of bodies that are not answered yet.
private func reserved(by server: HTTP1Server) async -> Int {
    await server.loop.submit { server.control.accounts.bytes[.request] }
}

@Suite(.timeLimit(.minutes(1))) struct AdmissionTests {
    @Test func `a stranger is turned away by his head, before any of his body`() async throws {
        try await withServer(admission: door, handler: greet) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            await client.send(post(40_000, who: nil, "Expect: 100-continue\r\n"))
            let text = await client.readToEnd()
            #expect(statuses(text) == [401])
            #expect(text.hasSuffix("who?"))
            await client.close()
        }
    }

    @Test func `a client that is let in may send the body, and has a name`() async throws {
        try await withServer(admission: door, handler: greet) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            await client.send(post(40_000, "Expect: 100-continue\r\n"))
            _ = await client.wait { $0 == "HTTP/1.1 100 Continue\r\n\r\n" }
            await client.send("a".times(40_000))
            let text = await client.wait { $0.hasSuffix("ann 40000") }
            #expect(statuses(text) == [100, 200])
            // The next request is checked again.
            await client.send(post(20_000, who: nil))
            #expect(statuses(await client.readToEnd()) == [100, 200, 401])
            await client.close()
        }
    }

    @Test func `nobody is asked about a small body that comes with its head`() async throws {
        let asked = Lock(0)
        let counting: Admitter = { request in
            asked.withLock { $0 += 1 }
            return await door(request)
        }
        try await withServer(admission: counting, handler: greet) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            await client.send(post(1_000, who: nil) + "a".times(1_000))
            _ = await client.wait { $0.hasSuffix("nobody 1000") }
            #expect(asked.value == 0)
            await client.send(post(20_000) + "a".times(20_000))
            _ = await client.wait { $0.hasSuffix("ann 20000") }
            #expect(asked.value == 1)
            await client.close()
        }
    }

    @Test(arguments: [false, true])
    func `an answer that takes long is waited for, and what came meanwhile is not lost`(
        isStreamed: Bool
    ) async throws {
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let (allowed, allow) = AsyncStream<Void>.makeStream()
        let slow: Admitter = { request in
            ask.yield()
            for await _ in allowed { break }
            return await door(request)
        }
        /// All that was sent lies there unread by then.
        func answerOnceAsked() async {
            for await _ in asked { break }
            allow.yield()
        }
        let handler: Handler = { request in
            guard let stream = request.bodyStream else { return await greet(request) }
            var whole = request
            while let piece = try? await stream.next() { whole.body += piece }
            return await greet(whole)
        }
        try await withServer(
            streamsBody: { _ in isStreamed }, admission: slow, handler: handler
        ) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
            for round in 1...3 {
                await client.send(post(40_000) + "a".times(40_000) + get)
                await answerOnceAsked()
                let text = await client.wait { statuses($0).count == 2 * round }
                #expect(text.components(between: "\r\n\r\n", and: "HTTP").last == "ann 40000")
                #expect(text.hasSuffix("nobody 0"))
            }
            await client.send(post(40_000, who: nil) + "a".times(40_000) + get)
            await answerOnceAsked()
            #expect(statuses(await client.readToEnd()).last == 401)
            await client.close()
        }
    }

    @Test func `nothing is read from a stranger while it is found out who he is`() async throws {
        let gate = Gate()
        let slow: Admitter = { request in
            await gate.pass()
            return await door(request)
        }
        var limits = ServerLimits.standard
        limits.bodyBytesMax = 100_000_000
        try await withServer(limits: limits, admission: slow, handler: greet) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            await client.send(post(50_000_000, who: nil))
            await client.send(Array(repeating: 65, count: 50_000_000))
            await gate.arrivals(1)
            // Until nothing more goes: what lies between the two is full.
            var (before, left) = (-1, -2)
            try await waitUntil {
                (before, left) = (left, await client.unsentBytes)
                return left == before
            }
            #expect(left > 25_000_000)
            await gate.open()
            #expect(statuses(await client.readToEnd()) == [401])
            await client.close()
        }
    }

    @Test func `the terms bound the body, announced or not`() async throws {
        try await withServer(admission: door, handler: greet) { loop, port, _ in
            for request in [
                post(50_001),
                post(0).replacing("Content-Length: 0", with: "Transfer-Encoding: chunked")
                    + "c352\r\n" + "a".times(50_002) + "\r\n0\r\n\r\n",
            ] {
                let client = await RawClient.connect(loop, port: port)
                await client.send(request)
                let text = await client.readToEnd()
                #expect(statuses(text) == [413])
                #expect(text.contains("50000 bytes"))
                await client.close()
            }
        }
    }

    @Test func `bodies that are only announced take no room`() async throws {
        let limits = ServerLimits(bodyBytesMax: 50_000, reservedBytesMax: 120_000)
        try await withServer(limits: limits, admission: door, handler: greet) { loop, port, _ in
            var waiting: [RawClient] = []
            for number in 0..<50 {
                let client = await RawClient.connect(loop, port: port)
                await client.send(post(50_000, who: "w\(number)", "Expect: 100-continue\r\n"))
                _ = await client.wait { $0.contains("100 Continue") }
                waiting.append(client)
            }
            let other = await RawClient.connect(loop, port: port)
            await other.send(post(50_000) + "a".times(50_000))
            _ = await other.wait { $0.hasSuffix("ann 50000") }
            for client in waiting + [other] { await client.close() }
        }
    }

    @Test func `a body that is refused takes no room while its refusal waits`() async throws {
        let limits = ServerLimits(bodyBytesMax: 100_000)
        try await withServer(limits: limits, handler: { _ in Response(status: 401) }) {
            loop, port, server in
            // Their refusals go first, one after the other.
            var others: [RawClient] = []
            for _ in 0..<40 {
                let other = await RawClient.connect(loop, port: port)
                await other.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n".times(20))
                others.append(other)
            }
            let client = await RawClient.connect(loop, port: port)
            await client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            await client.send("c350\r\n" + "a".times(50_000) + "\r\n")
            try await waitUntil { await reserved(by: server) == 50_000 }
            await client.send("186a0\r\n" + "a".times(100_000) + "\r\n")
            try await waitUntil { await reserved(by: server) == 0 }
            #expect(await client.wait { _ in true }.isEmpty)
            #expect(statuses(await client.readToEnd()) == [413])
            for each in others + [client] { await each.close() }
        }
    }

    @Test func `one who has his share is refused more, and others have room`() async throws {
        let limits = ServerLimits(bodyBytesMax: 50_000, reservedBytesMax: 200_000)
        try await withServer(limits: limits, admission: door, handler: greet) {
            loop, port, server in
            let first = await RawClient.connect(loop, port: port)
            await first.send(post(50_000) + "a".times(49_999))
            try await waitUntil { await reserved(by: server) == 49_999 }
            let second = await RawClient.connect(loop, port: port)
            await second.send(post(50_000) + "a".times(49_999))
            #expect(statuses(await second.readToEnd()) == [503])
            let other = await RawClient.connect(loop, port: port)
            await other.send(post(50_000, who: "bob") + "a".times(50_000))
            _ = await other.wait { $0.hasSuffix("bob 50000") }
            // Given back with the answer.
            await first.send("a")
            _ = await first.wait { $0.hasSuffix("ann 50000") }
            await first.send(post(50_000) + "a".times(50_000))
            _ = await first.wait { statuses($0) == [200, 200] }
            for client in [first, second, other] { await client.close() }
        }
    }

    @Test func `one address has its share, and another has room`() async throws {
        let limits = ServerLimits(
            bodyBytesMax: 50_000, reservedBytesMax: 200_000, reservedBytesPerAddressMax: 60_000)
        try await withServer(limits: limits, admission: door, handler: greet) {
            loop, port, server in
            let first = await RawClient.connect(loop, port: port)
            await first.send(post(50_000) + "a".times(49_999))
            try await waitUntil { await reserved(by: server) == 49_999 }
            let bob = post(50_000, who: "bob") + "a".times(50_000)
            let refused = await exchangeHalfClosed(port: port, bob)
            #expect(statuses(refused) == [503])
            let taken = await exchangeHalfClosed(port: port, bob, from: "127.0.0.2")
            #expect(taken.hasSuffix("bob 50000"))
            await first.close()
        }
    }

    @Test func `behind a trusted proxy it is the client's address that counts`() async throws {
        let limits = ServerLimits(
            bodyBytesMax: 50_000, reservedBytesMax: 200_000, reservedBytesPerAddressMax: 60_000)
        let proxy = try #require(AddressRange("127.0.0.0/8"))
        try await withServer(
            limits: limits, admission: door, trustedProxies: [proxy], handler: greet
        ) { loop, port, server in
            let first = await RawClient.connect(loop, port: port)
            await first.send(
                post(50_000, "X-Forwarded-For: 192.0.2.1\r\n") + "a".times(49_999))
            try await waitUntil { await reserved(by: server) == 49_999 }
            func ask(_ fields: String) async -> String {
                await exchangeHalfClosed(
                    port: port, post(50_000, who: "bob", fields) + "a".times(50_000))
            }
            #expect(statuses(await ask("X-Forwarded-For: 192.0.2.1\r\n")) == [503])
            #expect(statuses(await ask("X-Forwarded-For: 192.0.2.1, 127.0.0.9\r\n")) == [503])
            #expect(statuses(await ask("X-Forwarded-For: 192.0.2.2\r\n")) == [200])
            #expect(statuses(await ask("Forwarded: for=192.0.2.2\r\n")) == [200])
            await first.close()
        }
    }
}
