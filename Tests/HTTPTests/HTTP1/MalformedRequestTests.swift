import EventLoop
import HTTP
import TestSupport
import Testing

/// Bytes that two servers could read differently, or that are no HTTP at all.
struct Probe: Sendable {
    var name: String
    var bytes: String
    var status: Int

    init(_ name: String, _ status: Int, _ bytes: String) {
        (self.name, self.status, self.bytes) = (name, status, bytes)
    }

    private static func post(_ fields: String, _ body: String = "") -> String {
        "POST /e HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n\(body)"
    }

    private static func get(_ fields: String) -> String { "GET / HTTP/1.1\r\n\(fields)\r\n\r\n" }

    private static let chunked = "Transfer-Encoding: chunked"

    static let framing = [
        Probe("length, then chunked", 400, post("Content-Length: 3\r\n\(chunked)", "0\r\n\r\n")),
        Probe("chunked, then length", 400, post("\(chunked)\r\nContent-Length: 3", "0\r\n\r\n")),
        Probe("two lengths", 400, post("Content-Length: 3\r\nContent-Length: 4", "abcd")),
        Probe("one length twice", 400, post("Content-Length: 3\r\nContent-Length: 3", "abc")),
        Probe("list of lengths", 400, post("Content-Length: 3, 3", "abc")),
        Probe("length with a sign", 400, post("Content-Length: +3", "abc")),
        Probe("negative length", 400, post("Content-Length: -1")),
        Probe("hexadecimal length", 400, post("Content-Length: 0x3", "abc")),
        Probe("empty length", 400, post("Content-Length:", "abc")),
        Probe("length beyond 64 bits", 400, post("Content-Length: 99999999999999999999999")),
        Probe("unknown coding", 400, post("Transfer-Encoding: xchunked", "0\r\n\r\n")),
        Probe("unknown coding and length", 400, post("Transfer-Encoding: x\r\nContent-Length: 1")),
        Probe("chunked not last", 400, post("Transfer-Encoding: chunked, gzip", "0\r\n\r\n")),
        Probe("gzip before chunked", 501, post("Transfer-Encoding: gzip, chunked", "0\r\n\r\n")),
        Probe("coding in quotes", 400, post("Transfer-Encoding: \"chunked\"", "0\r\n\r\n")),
        Probe("chunked twice", 400, post("\(chunked)\r\n\(chunked)", "0\r\n\r\n")),
        Probe("two coding fields", 400, post("\(chunked)\r\nTransfer-Encoding: x", "0\r\n\r\n")),
        Probe(
            "two coding fields, chunked last", 400,
            post("Transfer-Encoding: gzip\r\n\(chunked)", "0\r\n\r\n")),
        Probe("chunked, then nothing", 400, post("Transfer-Encoding: chunked,", "0\r\n\r\n")),
        Probe("chunked twice in a list", 400, post("\(chunked), chunked", "0\r\n\r\n")),
        Probe(
            "chunked in HTTP/1.0", 400,
            "POST /e HTTP/1.0\r\n\(chunked)\r\n\r\n0\r\n\r\n"),
    ]

    static let chunks = [
        Probe("chunk size no number", 400, post(chunked, "zz\r\nab\r\n0\r\n\r\n")),
        Probe("negative chunk size", 400, post(chunked, "-3\r\nabc\r\n0\r\n\r\n")),
        Probe("chunk size 0x3", 400, post(chunked, "0x3\r\nabc\r\n0\r\n\r\n")),
        Probe("chunk size beyond 64 bits", 400, post(chunked, "fffffffffffffffff\r\nabc")),
        Probe("chunk over the limit", 413, post(chunked, "ffffffff\r\nabc")),
        Probe("chunk longer than its size", 400, post(chunked, "2\r\nabc\r\n0\r\n\r\n")),
        Probe("chunk ended by a bare LF", 400, post(chunked, "3\nabc\r\n0\r\n\r\n")),
        Probe("space after chunk size", 400, post(chunked, "3 \r\nabc\r\n0\r\n\r\n")),
        Probe("extension with a control", 400, post(chunked, "3;a\u{1}\r\nabc\r\n0\r\n\r\n")),
        Probe("extension with a quoted LF", 400, post(chunked, "3;a=\"\n\"\r\nabc\r\n0\r\n\r\n")),
        Probe("quoted NUL", 400, post(chunked, "3;a=\"\0\"\r\nabc\r\n0\r\n\r\n")),
        Probe("quoted pair of LF", 400, post(chunked, "3;a=\"\\\n\"\r\nabc\r\n0\r\n\r\n")),
        Probe("quoted DEL", 400, post(chunked, "3;a=\"\u{7F}\"\r\nabc\r\n0\r\n\r\n")),
        Probe("quoted LF after the last chunk", 400, post(chunked, "0;a=\"\n\"\r\n\r\n")),
        Probe("endless extension", 400, post(chunked, "3;\("a".times(6_000))")),
        Probe(
            "small chunks, large extensions", 400,
            post(chunked, "1;\("a".times(3_000))\r\nx\r\n".times(8) + "0\r\n\r\n")),
        Probe("length in a trailer", 400, post(chunked, "0\r\nContent-Length: 5\r\n\r\n")),
        Probe("folded trailer", 400, post(chunked, "0\r\nA: b\r\n c\r\n\r\n")),
        Probe("trailer folded with a tab", 400, post(chunked, "0\r\nA: b\r\n\tc\r\n\r\n")),
        Probe("trailer that begins folded", 400, post(chunked, "0\r\nA:\r\n b\r\n\r\n")),
        Probe("trailer folded to nothing", 400, post(chunked, "0\r\nA: b\r\n \r\n\r\n")),
        Probe("empty trailer folded", 400, post(chunked, "0\r\nA:\r\n \r\n\r\n")),
        Probe("second trailer folded", 400, post(chunked, "0\r\nA: b\r\nC: d\r\n e\r\n\r\n")),
        Probe("endless trailer", 400, post(chunked, "0\r\nA: \("a".times(6_000))")),
    ]

    static let heads = [
        Probe("bare LF", 400, "GET / HTTP/1.1\nHost: a\n\n"),
        Probe("one bare LF", 400, "GET / HTTP/1.1\r\nHost: a\nA: b\r\n\r\n"),
        Probe("bare CR in a value", 400, get("Host: a\r\nA: b\rc")),
        Probe("NUL in a value", 400, get("Host: a\r\nA: b\0c")),
        Probe("NUL in a name", 400, get("Host: a\r\nA\0: b")),
        Probe("folded value", 400, get("Host: a\r\nA: b\r\n c")),
        Probe("folded with a tab", 400, get("Host: a\r\nA: b\r\n\tc")),
        Probe("folded first field", 400, get(" Host: a")),
        Probe("folded last field", 400, get("Host: a\r\nA: b\r\n ")),
        Probe("space before the colon", 400, get("Host : a")),
        Probe("space in a name", 400, get("Host: a\r\nA b: c")),
        Probe("no colon", 400, get("Host: a\r\nnonsense")),
        Probe("empty name", 400, get("Host: a\r\n: b")),
        Probe("no Host", 400, get("A: b")),
        Probe("two Hosts", 400, get("Host: a\r\nHost: b")),
        Probe("the same Host twice", 400, get("Host: a\r\nHost: a")),
        Probe("two Hosts in HTTP/1.0", 400, "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"),
        Probe("Host with a path", 400, get("Host: a/b")),
        Probe("Host with a port that is no number", 400, get("Host: a:b")),
        Probe("Host with a port beyond 16 bits", 400, get("Host: a:65536")),
        Probe("Host with two ports", 400, get("Host: a:1:2")),
        Probe("Host with a user", 400, get("Host: u@a")),
        Probe("Host with an open bracket", 400, get("Host: [::1")),
        Probe("Host with no IPv6 address in brackets", 400, get("Host: [a]")),
        Probe("Host with words after the bracket", 400, get("Host: [::1]a")),
        Probe("Host half percent-encoded", 400, get("Host: a%4")),
        Probe("IPv6 address without brackets", 400, get("Host: ::1")),
        Probe("target with a port no number", 400, "GET http://a:b/ HTTP/1.1\r\nHost: a\r\n\r\n"),
        Probe("target with a user", 400, "GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
        Probe("target without a host", 400, "GET http:///a HTTP/1.1\r\nHost: a\r\n\r\n"),
        Probe("Host list", 400, get("Host: a, b")),
        Probe("unknown expectation", 417, post("Expect: tea\r\nContent-Length: 1", "x")),
        Probe("HTTP/2.0", 505, "GET / HTTP/2.0\r\nHost: a\r\n\r\n"),
        Probe("HTTP/1.2", 505, "GET / HTTP/1.2\r\nHost: a\r\n\r\n"),
        Probe("HTTP/2 preface", 505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        Probe("version no number", 400, "GET / HTTP/x.y\r\nHost: a\r\n\r\n"),
        Probe("no version", 400, "GET /\r\n\r\n"),
        Probe("lower-case version", 400, "GET / http/1.1\r\nHost: a\r\n\r\n"),
        Probe("two spaces in the line", 400, "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Probe("space in the target", 400, "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"),
        Probe("space at the line's end", 400, "GET / HTTP/1.1 \r\nHost: a\r\n\r\n"),
        Probe("target without slash", 400, "GET a HTTP/1.1\r\nHost: a\r\n\r\n"),
        Probe("target with a fragment", 400, "GET /#a HTTP/1.1\r\nHost: a\r\n\r\n"),
        Probe("target not ASCII", 400, "GET /é HTTP/1.1\r\nHost: a\r\n\r\n"),
        Probe("authority as target", 400, "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n"),
        Probe("method no token", 400, "G(T / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Probe("TLS hello", 400, "\u{16}\u{3}\u{1}\u{2}\0\u{1}"),
        Probe("two empty lines first", 400, "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Probe("head over the limit", 431, get("Host: a\r\nA: \("a".times(20_000))")),
        Probe("line over the limit", 414, "GET /\("a".times(20_000)) HTTP/1.1\r\nHost: a\r\n\r\n"),
        Probe("too many fields", 431, get("Host: a" + "\r\nA: b".times(100))),
        Probe("length over the limit", 413, post("Content-Length: 1048577")),
    ]
}

/// The tables by name, so that a failing test does not print them.
enum ProbeTable: CaseIterable {
    case framing, chunks, heads

    var probes: [Probe] {
        switch self {
        case .framing: Probe.framing
        case .chunks: Probe.chunks
        case .heads: Probe.heads
        }
    }
}

@Suite struct MalformedRequestTests {
    @Test(arguments: [
        "a", "a:80", "a:", "a.b-c_d:65535", "[::1]", "[2001:db8::1]:443", "127.0.0.1", "",
    ])
    func `a host with or without a port is taken`(host: String) async throws {
        try await withServer(handler: echo) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            await client.send("GET / HTTP/1.1\r\nConnection: close\r\nHost: \(host)\r\n\r\n")
            #expect(statuses(await client.readToEnd()) == [200])
            await client.close()
        }
    }

    @Test func `what means the same in a path is written the same, and a slash stays encoded`()
        async throws
    {
        try await withServer(handler: echo) { loop, port, _ in
            for (sent, seen) in [
                ("/v1/%65vents", "/v1/events"), ("/a%2Fb", "/a%2Fb"), ("/a%2fb%7E", "/a%2fb~"),
                ("/%61?x=%61", "/a?x=%61"), ("/a%", "/a%"), ("/a%4", "/a%4"), ("/%zz", "/%zz"),
                ("/%25%36%35", "/%2565"), ("http://a/%41", "/A"), ("http://a?b", "/?b"),
            ] {
                let client = await RawClient.connect(loop, port: port)
                await client.send("GET \(sent) HTTP/1.1\r\nConnection: close\r\nHost: a\r\n\r\n")
                #expect(await client.readToEnd().body == "GET \(seen) ", "\(sent)")
                await client.close()
            }
        }
    }

    @Test func `trailers that are not folded are read over`() async throws {
        try await withServer(handler: echo) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            await client.send(
                "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: Chunked"
                    + "\r\n\r\n3\r\nabc\r\n0\r\nA: b\r\nC:\r\nD: \t e f \r\n\r\n")
            #expect(await client.readToEnd().body == "POST / abc")
            await client.close()
        }
    }

    @Test(arguments: ProbeTable.allCases)
    func `what cannot be trusted is refused, once, and never reaches the handler`(
        table: ProbeTable
    ) async throws {
        let reached = Lock(0)
        let handler: Handler = { request in
            reached.withLock { $0 += 1 }
            return await echo(request)
        }
        try await withServer(handler: handler) { loop, port, _ in
            for probe in table.probes {
                let client = await RawClient.connect(loop, port: port)
                // What follows is a request only for a server that misread what came before.
                await client.send(probe.bytes + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
                let answer = await client.readToEnd()
                #expect(statuses(answer) == [probe.status], "\(probe.name)")
                #expect(answer.contains("content-type: application/problem+json"), "\(probe.name)")
                #expect(answer.contains("connection: close"), "\(probe.name)")
                await client.close()
            }
        }
        #expect(reached.value == 0)
    }

    @Test(arguments: ProbeTable.allCases)
    func `the verdict is the same when the bytes come one by one`(table: ProbeTable) async throws {
        try await withServer(handler: echo) { loop, port, _ in
            for probe in table.probes where probe.bytes.utf8.count < 300 {
                let client = await RawClient.connect(loop, port: port)
                for byte in probe.bytes.utf8 { await client.send([byte]) }
                let answer = await client.wait { $0.contains("\r\n\r\n") }
                #expect(statuses(answer) == [probe.status], "\(probe.name)")
                await client.close()
            }
        }
    }
}
