import EventLoop
import HTTP
import TLS
import TestSupport
import Testing

/// Everything that ends a request other than its answer.
@Suite(.timeLimit(.minutes(1)))
struct HTTP2FailureTests {
    @Test func `streams above the last one of a GOAWAY may be sent again, others finish`()
        async throws
    {
        let gate = Gate()
        let reason = Array(#"{"reason":"Shutdown"}"#.utf8)
        try await HTTP2Fixture.run { request, server in
            if request.target == "/last" {
                server.goAway(connection: request.connectionID, body: reason, lastStreamID: 1)
            }
            await gate.pass()
            return .response(.text(request.target))
        } body: { fixture in
            let connection = try await fixture.connect()
            async let first = connection.get("/first")
            await gate.arrivals(1)
            async let middle = connection.failure(of: "/middle")
            await gate.arrivals(2)
            let last = await connection.failure(of: "/last")
            #expect(last == .goingAway)
            #expect(await middle == .goingAway)
            #expect(last?.isSafeToResend == true)
            #expect(await connection.now { $0.isUsable } == false)
            #expect(await connection.now { $0.goAwayBody } == reason)
            #expect(await connection.failure(of: "/later") == .goingAway)
            await gate.open()
            #expect(try await first.text == "/first")
        }
    }

    @Test func `requests that waited for a stream are safe to send again after a GOAWAY`()
        async throws
    {
        let gate = Gate()
        try await HTTP2Fixture.run(maxConcurrentStreams: 1) { request, server in
            await gate.pass()
            return .response(.text(request.target))
        } body: { fixture in
            let connection = try await fixture.connect()
            async let first = connection.get("/first")
            await gate.arrivals(1)
            let waiting = Task { await connection.failure(of: "/waiting") }
            await fixture.loop.submit {}
            fixture.server.goAway(connection: 1)
            #expect(await waiting.value == .goingAway)
            await gate.open()
            #expect(try await first.text == "/first")
        }
    }

    @Test func `a reset stream fails alone, with its code`() async throws {
        try await HTTP2Fixture.run { request, _ in
            switch request.target {
            case "/refused": .reset(.refusedStream)
            case "/broken": .reset(.internalError)
            default: .response(Response(status: 200))
            }
        } body: { fixture in
            let connection = try await fixture.connect()
            let refused = await connection.failure(of: "/refused")
            #expect(refused == .streamReset(code: 7))
            #expect(refused?.isSafeToResend == true)
            let broken = await connection.failure(of: "/broken")
            #expect(broken == .streamReset(code: 2))
            #expect(broken?.isSafeToResend == false)
            #expect(try await connection.get("/").status == 200)
        }
    }

    @Test func `a lost connection fails everything that was under way`() async throws {
        let gate = Gate()
        try await HTTP2Fixture.run { request, _ in
            if request.target == "/fatal" { return .disconnect }
            await gate.pass()
            return .response(Response(status: 200))
        } body: { fixture in
            let connection = try await fixture.connect()
            let failures = await withTaskGroup(of: HTTPError?.self) { group in
                for number in 0..<100 {
                    group.addTask { await connection.failure(of: "/\(number)") }
                }
                await gate.arrivals(100)
                group.addTask { await connection.failure(of: "/fatal") }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(failures.count == 101)
            #expect(failures.allSatisfy { $0 == .connectionClosed })
            #expect(await connection.now { $0.isUsable } == false)
            #expect(HTTPError.connectionClosed.isSafeToResend == false)
            await gate.open()
        }
    }

    @Test func `a request that is not answered in time fails and frees its stream`() async throws {
        let gate = Gate()
        let clock = ContinuousClock()
        try await HTTP2Fixture.run(maxConcurrentStreams: 1) { request, _ in
            if request.target == "/slow" { await gate.pass() }
            return .response(Response(status: 200))
        } body: { fixture in
            let connection = try await fixture.connect()
            let start = clock.now
            #expect(
                await connection.failure(of: "/slow", deadline: .milliseconds(200))
                    == .deadlineExceeded)
            #expect(clock.now - start >= .milliseconds(200))
            #expect(try await connection.get("/").status == 200)
            await gate.open()
        }
    }

    @Test func `the deadline counts while a request waits for a stream`() async throws {
        let gate = Gate()
        try await HTTP2Fixture.run(maxConcurrentStreams: 1) { request, _ in
            await gate.pass()
            return .response(Response(status: 200))
        } body: { fixture in
            let connection = try await fixture.connect()
            async let first = connection.get("/")
            await gate.arrivals(1)
            #expect(
                await connection.failure(of: "/waiting", deadline: .milliseconds(100))
                    == .unsentInTime)
            await gate.open()
            #expect(try await first.status == 200)
            #expect(await gate.passed == 1, "the request given up was sent all the same")
        }
    }

    @Test func `a request that is given up resets its stream and cancels its handler`()
        async throws
    {
        let gate = Gate()
        let (cancellations, source) = AsyncStream.makeStream(of: Void.self)
        try await HTTP2Fixture.run { request, _ in
            if request.target != "/waiting" { return .response(Response(status: 200)) }
            await withTaskCancellationHandler {
                await gate.pass()
            } onCancel: {
                source.yield()
                source.finish()
            }
            return .response(Response(status: 200))
        } body: { fixture in
            let connection = try await fixture.connect()
            let waiting = await connection.failure(of: "/waiting", deadline: .seconds(1))
            #expect(waiting == .deadlineExceeded)
            for await _ in cancellations {}
            #expect(try await connection.get("/").status == 200)
            await gate.open()
        }
    }

    @Test func `closing fails what is under way and nothing can be sent after`() async throws {
        let gate = Gate()
        try await HTTP2Fixture.run { _, _ in
            await gate.pass()
            return .response(Response(status: 200))
        } body: { fixture in
            let connection = try await fixture.connect()
            let open = Task { await connection.failure(of: "/") }
            await gate.arrivals(1)
            await connection.close()
            #expect(await open.value == .connectionClosed)
            #expect(await connection.failure(of: "/") == .goingAway)
            await connection.close()
            await gate.open()
        }
    }

    @Test func `a retired connection finishes its work and takes no more`() async throws {
        let gate = Gate()
        try await HTTP2Fixture.run { request, _ in
            await gate.pass()
            return .response(.text(request.target))
        } body: { fixture in
            let connection = try await fixture.connect()
            async let open = connection.get("/open")
            await gate.arrivals(1)
            connection.retire()
            #expect(await connection.failure(of: "/late") == .goingAway)
            await gate.open()
            #expect(try await open.text == "/open")
        }
    }

    @Test func `draining lets requests under way finish`() async throws {
        let gate = Gate()
        try await HTTP2Fixture.run { request, _ in
            await gate.pass()
            return .response(.text(request.target))
        } body: { fixture in
            let connection = try await fixture.connect()
            async let open = connection.get("/open")
            await gate.arrivals(1)
            async let drained: Void = fixture.server.drain(within: .seconds(10))
            while await connection.now({ $0.isUsable }) { await Task.yield() }
            await gate.open()
            #expect(try await open.text == "/open")
            await drained
            await #expect(throws: HTTPError.self) { _ = try await fixture.connect() }
        }
    }
}
