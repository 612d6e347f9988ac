import Domain
import EventStore
import Foundation
import Compression
import HTTP
import JSON
import Testing

@testable import API

private func packed(_ text: String) throws -> [UInt8] {
    try #require(Gzip.packed(Array(text.utf8)))
}

private func send(
    _ api: Harness, _ body: [UInt8], coding: String?, type: String = "application/json"
) async throws -> Answer {
    var headers: Headers = ["authorization": "Bearer all", "content-type": type]
    if let coding { headers.append("content-encoding", coding) }
    let request = Request(method: "POST", target: "/v1/events", headers: headers, body: body)
    let answer = Answer(response: await api.handler(request))
    try OpenAPIDocument.shipped.expectDocumented(answer, "POST", "/v1/events")
    return answer
}

/// What every answer has in common, and what clients of HTTP are used to.
struct AnsweringTests {
    @Test(arguments: ["/v1/activities", "/v1/nothing", "/dashboard/", "/v1/activities?limit=x"])
    func `no browser guesses what an answer is, a problem as little as a page`(
        target: String
    ) async throws {
        let api = await Harness()
        let sniffing = try await api.get(target).header("x-content-type-options")
        #expect(sniffing == "nosniff")
    }

    @Test func `what unpacks to what was packed is given back, to the last byte`() throws {
        for bytes in [
            [], [7], Array("a".utf8), (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* $0 / 7) },
        ] as [[UInt8]] {
            let packed = try #require(Gzip.packed(bytes))
            #expect(try Gzip.unpacked(packed, atMost: bytes.count) == bytes)
            // As `gzip -d` takes several files one after the other.
            #expect(try Gzip.unpacked(packed + packed, atMost: 2 * bytes.count) == bytes + bytes)
            #expect(throws: Gzip.UnpackError.malformed) {
                try Gzip.unpacked(Array(packed.dropLast()), atMost: bytes.count)
            }
            if !bytes.isEmpty {
                #expect(throws: Gzip.UnpackError.tooLong) {
                    try Gzip.unpacked(packed, atMost: bytes.count - 1)
                }
            }
        }
        for bad: [UInt8] in [[], [1, 2, 3], Array("{}".utf8), [0x1F, 0x8B]] {
            #expect(throws: Gzip.UnpackError.malformed) { try Gzip.unpacked(bad, atMost: 100) }
        }
    }

    @Test func `long answers to reads are packed, if the client accepts that`() async throws {
        let api = await Harness()
        func document(_ accepted: String?, _ method: String = "GET") async throws -> Answer {
            try await api.call(
                method, "/openapi.json", key: nil,
                headers: accepted.map { [("accept-encoding", $0)] } ?? [])
        }
        let plain = try await document(nil)
        #expect(plain.header("content-encoding") == nil)
        #expect(plain.header("vary") == "accept-encoding")
        for accepted in [
            "gzip", "br, GZIP;q=0.5", "*, zstd;q=0.5", "x-gzip, identity;q=0",
            "zstd;q=0.5, gzip", "gzip;q=0.1, identity;q=0.1", "br;q=x, gzip;q=0.2",
        ] {
            let answer = try await document(accepted)
            #expect(answer.header("content-encoding") == "gzip", "\(accepted)")
            #expect(answer.bytes.count < plain.bytes.count / 4)
            #expect(try Gzip.unpacked(answer.bytes, atMost: 1 << 20) == plain.bytes)
        }
        for accepted in [
            "br", "gzip;q=0", "*;q=0", "identity", "", "identity, gzip;q=0.5", "gzip;q=nan",
            "zstd;q=0, br",
        ] {
            #expect(try await document(accepted).bytes == plain.bytes, "\(accepted)")
        }
        let short = try await api.call(
            "GET", "/livez", key: nil, headers: [("accept-encoding", "gzip")])
        #expect(short.header("content-encoding") == nil)
    }

    @Test func `that nothing has changed is said under the same conditions`() async throws {
        let api = await Harness()
        for path in ["/openapi.json", "/v1/activities"] {
            let whole = try await api.get(path)
            let tag = try #require(whole.header("etag"))
            let answer = try await api.call("GET", path, headers: [("if-none-match", tag)])
            #expect(answer.status == 304)
            #expect(answer.header("cache-control") == whole.header("cache-control"))
            #expect(answer.header("vary") == "accept-encoding", "\(path)")
        }
    }

    @Test func `what a client likes as much in zstd as in gzip comes in zstd, as curl reads it`()
        async throws
    {
        let api = await Harness()
        let plain = try await api.get("/openapi.json", key: nil).text
        let served = try await ServedAPI.start { await api.handler($0) }
        for accepted in ["zstd", "gzip, zstd", "gzip, br, ZSTD;q=1", "*", "gzip; q=0.0, *"] {
            let run = try await runProgram([
                "curl", "--silent", "--compressed", "--header", "Accept-Encoding: \(accepted)",
                "--write-out", "\n%header{content-encoding} %{size_download}",
                "http://127.0.0.1:\(served.port)/openapi.json",
            ])
            #expect(run.output.hasPrefix(plain), "\(accepted)")
            let words = run.output.dropFirst(plain.count + 1).split(separator: " ")
            #expect(words.first == "zstd", "\(accepted): \(words)")
            #expect(words.last.flatMap { Int($0) }.map { $0 < plain.utf8.count / 4 } == true)
        }
        await served.stop()
    }

    @Test func `an answer to what is written is never packed, for it may have a secret`()
        async throws
    {
        let api = await Harness()
        let events = (0..<50).map { SampleEvents.placed("o-\($0)", id: "p-\($0)") }
        let answer = try await api.call(
            "POST", "/v1/events", body: "[\(events.joined(separator: ","))]",
            type: "application/json", headers: [("accept-encoding", "gzip")])
        #expect(answer.status == 201)
        #expect(answer.bytes.count > Limits.packedBytesMin)
        #expect(answer.header("content-encoding") == nil)
    }

    @Test func `a packed body is taken, on every form of intake`() async throws {
        let api = await Harness()
        let one = try await send(api, packed(SampleEvents.placed("o-1")), coding: "gzip")
        #expect(one.status == 201, "\(one.text)")
        let lines = SampleEvents.assigned("o-1").replacing("\n", with: "") + "\n"
        let stream = try await send(
            api, packed(lines), coding: "GZIP", type: "application/x-ndjson")
        #expect(stream.status == 201, "\(stream.text)")
        #expect(await api.fake.log(of: Harness.mine).count == 2)
        let plain = try await send(
            api, Array(SampleEvents.placed("o-2", id: "p2").utf8), coding: "identity")
        #expect(plain.status == 201)
        let request = Request(
            method: "POST", target: "/v1/events",
            headers: ["content-type": "application/x-ndjson", "content-encoding": "gzip"])
        #expect(!API.streamsBody(request))
    }

    @Test func `how a body is packed does not matter where there is none`() async throws {
        let api = await Harness()
        for coding in ["gzip", "br"] {
            let headers = [("content-encoding", coding)]
            let read = try await api.call("GET", "/v1/activities", headers: headers)
            #expect(read.status == 200, "\(read.text)")
        }
        _ = try await send(api, Array(SampleEvents.placed("o-1").utf8), coding: nil)
        let ticket = try await api.call(
            "POST", "/v1/activities/o-1/tickets", headers: [("content-encoding", "gzip")])
        #expect(ticket.status == 201, "\(ticket.text)")
    }

    @Test func `a packed body is bounded by what it unpacks to`() async throws {
        let api = await Harness()
        let bytesMax = APILimits.standard.bodyBytesMax
        let bomb = try #require(Gzip.packed([UInt8](repeating: 0x20, count: 64 << 20)))
        #expect(bomb.count < bytesMax)
        let answer = try await send(api, bomb, coding: "gzip")
        let problem = try answer.expectProblem(.bodyTooLarge)
        #expect(problem["detail"]?.text?.contains("\(bytesMax)") == true)
        let fits = SampleEvents.placed("o-1") + String(repeating: " ", count: bytesMax - 1_000)
        #expect(try await send(api, packed(fits), coding: "gzip").status == 201)
        try await send(api, Array("{}".utf8), coding: "gzip").expectProblem(.malformedRequest)
        for coding in ["br", "zstd", "gzip, gzip", "deflate"] {
            let answer = try await send(api, packed(fits), coding: coding)
            try answer.expectProblem(
                .unsupportedMediaType,
                remedy: "Pack the body with gzip, or send it as it is without `Content-Encoding`.")
            #expect(answer.header("accept-encoding") == "gzip, identity")
        }
    }

    @Test func `lines that unpack to too much are taken as they are, as the answer says`()
        async throws
    {
        let api = await Harness()
        let note = String(repeating: "x", count: 60_000)
        let lines = (0..<20).map { number in
            SampleEvents.event(
                id: "\(number)", type: "PizzaDelivery.OrderReady", subject: "o-1",
                data: #"{"note":"\#(note)"}"#)
        }.joined(separator: "\n")
        #expect(lines.utf8.count > APILimits.standard.bodyBytesMax)
        let type = "application/x-ndjson"
        let refused = try await send(api, packed(lines), coding: "gzip", type: type)
        let problem = try refused.expectProblem(.bodyTooLarge)
        #expect(problem["remedy"]?.text?.contains("without Content-Encoding") == true)
        let plain = try await send(api, Array(lines.utf8), coding: nil, type: type)
        #expect(plain.status == 201, "\(plain.text)")
    }

    @Test func `what a packed body unpacks to counts as bytes sent`() async throws {
        var limits = APILimits.standard
        limits.bytesPerSecond = 100_000
        let api = await Harness(limits: limits)
        let long = SampleEvents.placed("o-1") + String(repeating: " ", count: 190_000)
        #expect(try await send(api, packed(long), coding: "gzip").status == 201)
        // A little is left, and what it takes beyond that is paid back before the next.
        #expect(try await send(api, packed(long), coding: "gzip").status == 200)
        try await send(api, packed(long), coding: "gzip").expectProblem(.rateLimited)
    }

    @Test(arguments: [true, false])
    func `what was unpacked counts even if the body is of no use`(isTooLong: Bool) async throws {
        var limits = APILimits.standard
        limits.bytesPerSecond = 100_000
        if isTooLong { limits.bodyBytesMax = 250_000 }
        let api = await Harness(limits: limits)
        var bomb = try packed(String(repeating: " ", count: 300_000))
        // In the checksum, so that all of it is unpacked before the error is found.
        bomb[bomb.count - 6] ^= 1
        let problem = isTooLong ? Problem.bodyTooLarge : .malformedRequest
        try await send(api, bomb, coding: "gzip").expectProblem(problem)
        try await send(api, bomb, coding: "gzip").expectProblem(.rateLimited)
        // What is no gzip takes no work, so it costs no more than its bytes.
        api.time.value = api.time.value.adding(seconds: 10)
        for _ in 0..<10 {
            try await send(api, Array("{}".utf8), coding: "gzip").expectProblem(.malformedRequest)
        }
        #expect(try await send(api, packed("[]"), coding: "gzip").status == 200)
    }

    @Test func `all of what was unpacked is paid back, however little may be sent`() async throws {
        var limits = APILimits.standard
        limits.bytesPerSecond = 10_000
        let api = await Harness(limits: limits)
        let long = try packed("[" + String(repeating: " ", count: 300_000) + "]")
        #expect(try await send(api, long, coding: "gzip").status == 200)
        api.time.value = api.time.value.adding(seconds: 20)
        try await send(api, long, coding: "gzip").expectProblem(.rateLimited)
        api.time.value = api.time.value.adding(seconds: 20)
        #expect(try await send(api, long, coding: "gzip").status == 200)
    }

    @Test func `a request is called what its sender calls it, or by a new name`() async throws {
        let api = await Harness()
        func answer(_ name: String?, _ path: String = "/livez") async throws -> Answer {
            try await api.call(
                "GET", path, key: nil, headers: name.map { [("x-request-id", $0)] } ?? [])
        }
        for name in ["0197a1f2-7c1e-7d57-9c54-1f6a0f0d2c11", "a", "a+b/c=:@_.~", "X-9"] {
            #expect(try await answer(name).header("x-request-id") == name)
        }
        var made: Set<String> = []
        for bad in ["", "a b", "a\"b", "é", String(repeating: "a", count: 129), "<a>"] + [nil] {
            let id = try #require(try await answer(bad).header("x-request-id"))
            #expect(id != bad && !id.isEmpty)
            made.insert(id)
        }
        #expect(made.count == 7)
        let problem = try await answer("mine", "/v1/activities")
        #expect(try problem.expectProblem(.missingKey)["requestId"]?.text == "mine")
        let refused = await api.admission(
            Request(method: "POST", target: "/v1/events", headers: ["x-request-id": "mine"]))
        guard case .refused(let response) = refused else {
            Issue.record("admitted without a key")
            return
        }
        #expect(response.headers["x-request-id"] == "mine")
    }

    @Test func `what names a request has letters, digits and a few marks`() {
        let legal = Set("+-./:=@_~".utf8)
        for byte in UInt8.min..<0x80 {
            let name = String(UnicodeScalar(byte))
            let request = Request(method: "GET", target: "/", headers: ["x-request-id": name])
            let isTaken = legal.contains(byte) || name.contains(/[A-Za-z0-9]/)
            #expect((RequestID.of(request) == name) == isTaken, "byte \(byte)")
        }
    }

    @Test func `the log names the request that failed`() async throws {
        let seen = Lever<[String?]>([])
        let api = await Harness(report: { _, _ in seen.update { $0.append(RequestID.current) } })
        await api.fake.fail(with: .unavailable(detail: "odd"))
        _ = try await api.call("GET", "/v1/activities", headers: [("x-request-id", "mine")])
        #expect(seen.value == ["mine"])
    }

    @Test func `a page says in its head as well where to go on`() async throws {
        let api = await Harness()
        for order in 1...3 {
            _ = try await api.post(SampleEvents.placed("o-\(order)", id: "p-\(order)"))
        }
        _ = try await api.post(SampleEvents.assigned("o-1"))
        try await api.fake.fold(Harness.mine)
        for path in [
            "/v1/events?limit=2", "/v1/activities?limit=2", "/v1/activities/o-1/events?limit=1",
            "/v1/activities/o-1/decisions?limit=1",
        ] {
            let answer = try await api.get(path)
            let next = try #require(try answer.json()["next"]?.text, "\(path)")
            #expect(answer.header("link") == "<\(next)>; rel=\"next\"", "\(path)")
            #expect(try await api.get(next).status == 200)
        }
        #expect(try await api.get("/v1/activities?limit=3").header("link") == nil)
    }

    @Test func `what was made says where it is`() async throws {
        let api = await Harness()
        let made = try await api.post("[\(SampleEvents.placed("o-1"))]")
        let path = try #require(made.header("location"))
        let found = try await api.get(path).json()["events"]?.elements
        #expect(found?.map { $0["id"]?.text } == ["placed"])
        #expect(try await api.post(SampleEvents.placed("o-1")).header("location") == nil)
        let ticket = try await api.call("POST", "/v1/activities/o%2F1/tickets")
        #expect(ticket.status == 201)
        #expect(ticket.header("location") == "/v1/activities/o%2F1")
        let phone = try await api.call(
            "PUT", "/v1/activities/o-1/audience", body: #"{"topics":["cup"]}"#,
            type: "application/json")
        if phone.status == 201 {
            #expect(phone.header("location") == "/v1/activities/o-1/audience")
        }
    }

    @Test func `pages of other hosts may call where their origin is configured`() async throws {
        let api = await Harness(cors: CORSPolicy(origins: ["https://app.example.com"]))
        func call(
            _ method: String, _ origin: String, _ extra: [(String, String)] = [],
            key: String? = "all"
        ) async throws -> Answer {
            try await api.call(
                method, "/v1/activities", key: key, headers: [("origin", origin)] + extra)
        }
        let preflight = try await call(
            "OPTIONS", "https://app.example.com", [("access-control-request-method", "GET")],
            key: nil)
        #expect(preflight.status == 204)
        #expect(preflight.header("access-control-allow-methods") == "GET, HEAD, OPTIONS")
        #expect(
            preflight.header("access-control-allow-headers")?.contains("authorization") == true)
        #expect(preflight.header("access-control-allow-credentials") == nil)
        let asked = try await call(
            "OPTIONS", "https://app.example.com",
            [
                ("access-control-request-method", "POST"),
                (
                    "access-control-request-headers",
                    "authorization,CE-Id, ce-source,ce-,ce-a\"b,x-other,tracestate"
                ),
            ], key: nil)
        let fields = asked.header("access-control-allow-headers") ?? ""
        #expect(fields.hasSuffix("tracestate, x-request-id, ce-id, ce-source"), "\(fields)")
        let answer = try await call("GET", "https://app.example.com")
        #expect(answer.header("access-control-allow-origin") == "https://app.example.com")
        #expect(answer.header("vary")?.contains("origin") == true)
        // Also what is refused can be read by the page.
        let refused = try await call("GET", "https://app.example.com", key: nil)
        #expect(refused.status == 401)
        #expect(refused.header("access-control-allow-origin") == "https://app.example.com")
        for other in ["https://evil.example.com", "null", "https://app.example.com.evil.com"] {
            #expect(try await call("GET", other).header("access-control-allow-origin") == nil)
        }
        let closed = try await Harness().call(
            "GET", "/v1/activities", headers: [("origin", "https://app.example.com")])
        #expect(closed.header("access-control-allow-origin") == nil)
    }

    @Test func `an origin is written as browsers write it`() {
        for good in [
            "https://app.example.com", "http://localhost:5173", "http://[::1]:8080",
            "HTTPS://App.Example.com", "https://a:80",
        ] {
            #expect(CORSPolicy.origin(good) == good.lowercased())
        }
        #expect(CORSPolicy.origin("https://app.example.com:443") == "https://app.example.com")
        #expect(CORSPolicy.origin("http://[::1]:80") == "http://[::1]")
        for bad in [
            "", "*", "app.example.com", "https://", "https://a/b", "https://a?", "ftp://a",
            "https://user@host", "https://user:secret@host", "null", "https://:443", "https://a:0",
            "https://*.a", "https://a:65536", "https://a:", "https://a#b", "https://[::1",
            "https://ä.example", "https://a..b", "https://-a", "https://a,b", "https://a!b",
        ] {
            #expect(CORSPolicy.origin(bad) == nil, "\(bad)")
        }
    }
}
