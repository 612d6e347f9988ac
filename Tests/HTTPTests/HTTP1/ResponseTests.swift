import EventLoop
import Foundation
import HTTP
import TestSupport
import Testing

private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

@Suite struct ResponseTests {
    /// What one request gets, up to `isComplete`.
    private func exchange(
        _ request: String = get, handler: @escaping Handler,
        until isComplete: @escaping @Sendable (String) -> Bool = { $0.contains("\r\n\r\n") }
    ) async throws -> String {
        let answer = Lock("")
        try await withServer(handler: handler) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            await client.send(request)
            let text = await client.wait(until: isComplete)
            answer.withLock { $0 = text }
            await client.close()
        }
        return answer.withLock { $0 }
    }

    @Test func `a response is framed by the server, whatever the handler says about it`()
        async throws
    {
        let text = try await exchange { _ in
            Response(
                status: 201,
                headers: [
                    "content-type": "text/plain", "content-length": "999",
                    "transfer-encoding": "chunked", "x-more": "1",
                ], body: .bytes(Array("hello".utf8)))
        } until: {
            $0.hasSuffix("hello")
        }
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines[0] == "HTTP/1.1 201 Created")
        #expect(
            lines.filter { !$0.hasPrefix("date: ") }.dropFirst() == [
                "content-type: text/plain", "x-more: 1", "content-length: 5", "", "hello",
            ])
    }

    @Test func `the date is now, in the form HTTP wants`() async throws {
        let text = try await exchange(handler: echo)
        let value = try #require(text.components(between: "\r\ndate: ", and: "\r\n").first)
        let parser = DateFormatter()
        parser.locale = Locale(identifier: "en_US_POSIX")
        parser.timeZone = TimeZone(identifier: "GMT")
        parser.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let date = try #require(parser.date(from: value))
        #expect(abs(date.timeIntervalSinceNow) < 5)
        #expect(parser.string(from: date) == value)
    }

    @Test func `a line break in a field cannot start another field`() async throws {
        let text = try await exchange { _ in
            Response(status: 200, headers: ["location": "/a\r\nset-cookie: b=c\r\n\r\nx"])
        }
        #expect(text.contains("location: /a  set-cookie: b=c    x\r\n"))
        #expect(text.body == "")
    }

    @Test func `HEAD tells the length and sends no body, and the connection goes on`() async throws
    {
        let text = try await exchange(
            "HEAD /x HTTP/1.1\r\nHost: a\r\n\r\nGET /y HTTP/1.1\r\nHost: a\r\n\r\n", handler: echo,
            until: { $0.hasSuffix("GET /y ") })
        #expect(statuses(text) == [200, 200])
        #expect(text.contains("content-length: 8\r\n\r\nHTTP/1.1 200 OK"))
    }

    @Test(arguments: [204, 304])
    func `a status without a body has none, whatever the handler gave`(status: Int) async throws {
        let text = try await exchange(
            get + "GET /y HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        ) {
            _ in
            Response(status: status, body: .bytes([1, 2, 3]))
        } until: {
            statuses($0).count == 2 && $0.hasSuffix("close\r\n\r\n")
        }
        #expect(statuses(text) == [status, status])
        #expect(!text.contains("content-length"))
    }

    @Test func `the absolute form of a target and one empty line before it are understood`()
        async throws
    {
        for (target, expected) in [
            ("http://a/b?c", "/b?c"), ("https://a", "/"), ("http://a?c", "/?c"), ("/b//c", "/b//c"),
        ] {
            let text = try await exchange(
                "\r\nGET \(target) HTTP/1.1\r\nHost: a\r\n\r\n", handler: echo,
                until: { $0.hasSuffix("GET \(expected) ") })
            #expect(text.body == "GET \(expected) ")
        }
    }

    @Test func `bodies arrive whole, whatever the pieces, and trailers are no headers`()
        async throws
    {
        let handler: Handler = { request in
            #expect(request.headers["x-late"] == nil)
            #expect(request.headers["transfer-encoding"] == "Chunked")
            return await echo(request)
        }
        try await withServer(handler: handler) { loop, port, _ in
            let request =
                "POST /c HTTP/1.1\r\nHost: a\r\ntransfer-encoding: Chunked\r\n\r\n"
                + "3;x=1\r\nabc\r\nA\r\n0123456789\r\n000\r\nX-Late: 1\r\n\r\n"
            for size in [1, 2, 3, 7, 1_000] {
                let client = await RawClient.connect(loop, port: port)
                var rest = Array(request.times(2).utf8)[...]
                while !rest.isEmpty {
                    await client.send(Array(rest.prefix(size)))
                    rest = rest.dropFirst(size)
                }
                let text = await client.wait {
                    $0.components(between: "POST /c ", and: "9").count == 2
                }
                #expect(
                    text.components(between: "\r\n\r\nPOST /c ", and: "9")
                        == ["abc012345678", "abc012345678"])
                await client.close()
            }
        }
    }

    @Test func `the answer of a handler that comes from another executor arrives`() async throws {
        actor Elsewhere { func name() -> String { "elsewhere" } }
        let elsewhere = Elsewhere()
        let text = try await exchange { _ in
            let name = await Task.detached { await elsewhere.name() }.value
            return Response(status: 200, body: .bytes(Array(name.utf8)))
        } until: {
            $0.hasSuffix("elsewhere")
        }
        #expect(statuses(text) == [200])
    }
}
