import EventLoop
import HTTP
import TLS
import TestSupport
import Testing

/// What the server allows, and what becomes of those who want more.
@Suite(.timeLimit(.minutes(1)))
struct HTTP2LimitTests {
    @Test func `one stream at a time until the server raises its limit`() async throws {
        let gate = Gate()
        try await HTTP2Fixture.run(maxConcurrentStreams: 1) { request, server in
            if request.target == "/first" {
                // As APNs does after the first request with a valid token.
                server.setMaxConcurrentStreams(50, connection: request.connectionID)
                return .response(.text("raised"))
            }
            await gate.pass()
            return .response(Response(status: 200))
        } body: { fixture in
            let connection = try await fixture.connect()
            #expect(await connection.now { $0.peerStreamsMax } == 1)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<50 {
                    group.addTask { try await connection.get("/\(number)").status }
                }
                await gate.arrivals(1)
                await fixture.loop.submit {}
                #expect(await gate.passed == 1, "a second stream was opened")
                group.addTask { try await connection.get("/first").status }
                await gate.open()
                for try await status in group { #expect(status == 200) }
            }
            #expect(await connection.now { $0.peerStreamsMax } == 50)
            let wide = Gate()
            await wide.open()
        }
    }

    @Test func `a raised limit lets waiting requests go at once`() async throws {
        let gate = Gate()
        try await HTTP2Fixture.run(maxConcurrentStreams: 1) { request, server in
            let connection = request.connectionID
            if await gate.passed == 0 {
                server.setMaxConcurrentStreams(40, connection: connection)
            }
            await gate.pass()
            return .response(Response(status: 200))
        } body: { fixture in
            let connection = try await fixture.connect()
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<40 {
                    group.addTask { try await connection.get("/\(number)").status }
                }
                // Would never be reached with one stream, since none is answered before.
                await gate.arrivals(40)
                await gate.open()
                for try await status in group { #expect(status == 200) }
            }
        }
    }

    @Test func `a body over the limit is answered with a problem document`() async throws {
        var limits = ServerLimits.standard
        limits.bodyBytesMax = 10_000
        try await HTTP2Fixture.run(limits: limits) { request, _ in
            .response(.text("\(request.body.count)"))
        } body: { fixture in
            let connection = try await fixture.connect()
            for count in [10_001, 5_000_000] {
                let response = try await connection.send(
                    Request(
                        method: "POST", target: "/", body: [UInt8](repeating: 0, count: count)),
                    deadline: .seconds(20))
                #expect(response.status == 413)
                #expect(response.headers["content-type"] == "application/problem+json")
            }
            // With the length announced, it is refused before it is sent.
            let announced = try await connection.send(
                Request(
                    method: "POST", target: "/", headers: ["content-length": "5000000"],
                    body: [UInt8](repeating: 0, count: 5_000_000)),
                deadline: .seconds(20))
            #expect(announced.status == 413)
            let allowed = try await connection.send(
                Request(method: "POST", target: "/", body: [UInt8](repeating: 0, count: 10_000)),
                deadline: .seconds(20))
            #expect(allowed.text == "10000")
        }
    }

    @Test func `too many header fields are answered with 431`() async throws {
        var limits = ServerLimits.standard
        limits.headersMax = 20
        limits.headBytesMax = 4_000
        try await HTTP2Fixture.run(limits: limits) { _, _ in
            .response(Response(status: 200))
        } body: { fixture in
            let connection = try await fixture.connect()
            var many = Request(method: "GET", target: "/")
            for number in 0..<30 { many.headers.append("x-\(number)", "1") }
            #expect(try await connection.send(many, deadline: .seconds(10)).status == 431)
            var long = Request(method: "GET", target: "/")
            long.headers.append("x-long", String(repeating: "a", count: 4_000))
            #expect(try await connection.send(long, deadline: .seconds(10)).status == 431)
            #expect(try await connection.get("/").status == 200)
        }
    }

    @Test func `connections over the limit are dropped`() async throws {
        var limits = ServerLimits.standard
        limits.connectionsMax = 1
        try await HTTP2Fixture.run(limits: limits) { _, _ in
            .response(Response(status: 200))
        } body: { fixture in
            let first = try await fixture.connect()
            await #expect(throws: HTTPError.self) { _ = try await fixture.connect() }
            #expect(try await first.get("/").status == 200)
        }
    }

    @Test func `a client that never begins TLS is dropped`() async throws {
        var limits = ServerLimits.standard
        limits.headTimeoutSeconds = 0.2
        try await HTTP2Fixture.run(limits: limits) { _, _ in
            .response(Response(status: 200))
        } body: { fixture in
            let (ends, source) = AsyncStream.makeStream(of: Void.self)
            fixture.loop.run {
                fixture.loop.connect(
                    host: "127.0.0.1", port: fixture.port, timeout: .seconds(5)
                ) { result in
                    guard case .success(let socket) = result else { return source.finish() }
                    socket.onClose = { _ in
                        source.yield()
                        source.finish()
                        socket.close()
                    }
                }
            }
            var endings = 0
            for await _ in ends { endings += 1 }
            #expect(endings == 1)
        }
    }

    @Test func `an idle connection gets a GOAWAY and is closed`() async throws {
        var limits = ServerLimits.standard
        limits.idleTimeoutSeconds = 1
        try await HTTP2Fixture.run(limits: limits) { _, _ in
            .response(Response(status: 200))
        } body: { fixture in
            let connection = try await fixture.connect()
            while await connection.now({ $0.isUsable }) {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(await connection.failure(of: "/") == .goingAway)
        }
    }
}
