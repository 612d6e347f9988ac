import EventLoop
import HTTP
import TLS
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HTTP2RoundTripTests {
    @Test func `a request arrives as it was sent and its answer comes back whole`() async throws {
        try await HTTP2Fixture.run { request, _ in
            var response = Response(status: 201, headers: ["x-target": request.target])
            response.headers.append("x-method", request.method)
            response.headers.append("x-host", request.headers["host"] ?? "")
            response.headers.append("x-own", request.headers["apns-topic"] ?? "")
            response.body = .bytes(request.body.reversed())
            return .response(response)
        } body: { fixture in
            let connection = try await fixture.connect()
            let response = try await connection.send(
                Request(
                    method: "POST", target: "/3/device/ab?x=%20", headers: ["apns-topic": "é"],
                    body: [1, 2, 3, 0]),
                deadline: .seconds(10))
            #expect(response.status == 201)
            #expect(response.bytes == [0, 3, 2, 1])
            #expect(response.headers["x-target"] == "/3/device/ab?x=%20")
            #expect(response.headers["x-method"] == "POST")
            #expect(response.headers["x-host"] == "127.0.0.1:\(fixture.port)")
            #expect(response.headers["x-own"] == "é")
            await connection.close()
        }
    }

    @Test func `a thousand requests at once all get their own answer`() async throws {
        let gate = Gate()
        try await HTTP2Fixture.run { request, _ in
            await gate.pass()
            return .response(.text(request.target))
        } body: { fixture in
            let connection = try await fixture.connect()
            let wrong = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<1_000 {
                    group.addTask {
                        try await connection.get("/\(number)").text != "/\(number)"
                    }
                }
                // Nobody is answered before all have arrived: they are truly concurrent.
                await gate.arrivals(1_000)
                await gate.open()
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(wrong == 0)
        }
    }

    @Test func `bodies larger than every window pass both ways`() async throws {
        var limits = ServerLimits.standard
        limits.bodyBytesMax = 4_000_000
        let body = SecureRandom.bytes(3_000_000)
        try await HTTP2Fixture.run(limits: limits) { request, _ in
            .response(Response(status: 200, body: .bytes(request.body)))
        } body: { fixture in
            let connection = try await fixture.connect(responseBytesMax: 4_000_000)
            let response = try await connection.send(
                Request(method: "POST", target: "/", body: body), deadline: .seconds(30))
            #expect(response.bytes == body)
        }
    }

    @Test func `a streamed body arrives in order and ends`() async throws {
        try await HTTP2Fixture.run { _, _ in
            let (chunks, source) = AsyncStream.makeStream(of: [UInt8].self)
            Task {
                for number in 0..<200 {
                    source.yield([UInt8](repeating: UInt8(number), count: 1_000))
                    if number % 50 == 0 { await Task.yield() }
                }
                source.finish()
            }
            return .response(Response(status: 200, body: .stream(chunks)))
        } body: { fixture in
            let connection = try await fixture.connect(responseBytesMax: 1_000_000)
            let response = try await connection.get("/")
            let expected = (0..<200).flatMap { [UInt8](repeating: UInt8($0), count: 1_000) }
            #expect(response.bytes == expected)
        }
    }

    @Test func `HEAD and empty answers have no body`() async throws {
        try await HTTP2Fixture.run { request, _ in
            request.target == "/empty" ? .response(Response(status: 204)) : .response(.text("body"))
        } body: { fixture in
            let connection = try await fixture.connect()
            let head = try await connection.send(
                Request(method: "HEAD", target: "/"), deadline: .seconds(10))
            #expect(head.status == 200)
            #expect(head.bytes.isEmpty)
            let empty = try await connection.get("/empty")
            #expect(empty.status == 204)
            #expect(empty.bytes.isEmpty)
        }
    }

    @Test func `each connection has its own id`() async throws {
        try await HTTP2Fixture.run { request, _ in
            .response(.text("\(request.connectionID)"))
        } body: { fixture in
            let first = try await fixture.connect()
            let second = try await fixture.connect()
            let id = try await first.get("/").text
            #expect(id != "0")
            #expect(try await first.get("/").text == id)
            #expect(try await second.get("/").text != id)
        }
    }

    @Test func `an answer larger than the client allows fails only its own request`() async throws {
        try await HTTP2Fixture.run { request, _ in
            let count = request.target == "/large" ? 100_001 : 100_000
            return .response(
                Response(status: 200, body: .bytes([UInt8](repeating: 0, count: count))))
        } body: { fixture in
            let connection = try await fixture.connect(responseBytesMax: 100_000)
            #expect(await connection.failure(of: "/large") == .tooLarge)
            #expect(try await connection.get("/").bytes.count == 100_000)
        }
    }

    @Test func `a response head without bound is refused`() async throws {
        try await HTTP2Fixture.run { request, _ in
            var response = Response(status: 200)
            if request.target == "/large" {
                for number in 0..<300 {
                    response.headers.append("x-\(number)", String(repeating: "a", count: 60))
                }
            }
            return .response(response)
        } body: { fixture in
            let connection = try await fixture.connect()
            #expect(await connection.failure(of: "/large") == .tooLarge)
            #expect(try await connection.get("/").status == 200)
        }
    }
}
