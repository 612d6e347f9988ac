import EventLoop
import Foundation
import HTTP
import TLS
import TestSupport
import Testing
import WebClient

/// A server that answers as the path says, and remembers what came.
private struct Receiver: Sendable {
    let loop = EventLoop(name: "receiver")
    let seen = Lock<[Request]>([])

    var handler: Handler {
        { [seen] request in
            seen.withLock { $0.append(request) }
            switch request.path {
            case "/later": return Response(status: 429, headers: ["retry-after": "17"])
            case "/much-later":
                return Response(status: 429, headers: ["retry-after": "99999999999999999999"])
            case "/moved": return Response(status: 302, headers: ["location": "/hook"])
            case "/slow":
                try? await Task.sleep(for: .seconds(5))
                return Response(status: 200)
            case "/long":
                return Response(status: 200, body: .bytes([UInt8](repeating: 65, count: 300_000)))
            default: return Response(status: 204)
            }
        }
    }

    /// With a client that may ask this machine.
    static func with(
        _ options: WebClient.Options = .init(allowsPrivate: true),
        _ body: (Receiver, WebClient, _ base: String) async throws -> Void
    ) async throws {
        let receiver = Receiver()
        let server = HTTP1Server(
            loop: receiver.loop, host: "127.0.0.1", port: 0, handler: receiver.handler)
        let port = try await server.start()
        let client = WebClient(loop: receiver.loop, options: options)
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(receiver, client, "http://127.0.0.1:\(port)"))
        } catch { result = .failure(error) }
        await client.close()
        await server.drain(within: .milliseconds(100))
        await receiver.loop.shutdown()
        try result.get()
    }

    func request(_ url: String, deadline: Double = 5, share: String = "one") -> WebRequest {
        WebRequest(
            url: url, headers: [("webhook-id", "msg_1")], body: Array(#"{"n":1}"#.utf8),
            deadlineSeconds: deadline, share: share)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `A web client` {
    @Test func `posts, and says what the server answered`() async throws {
        try await Receiver.with { receiver, client, base in
            let answer = await client.post(receiver.request(base + "/hook"))
            #expect(answer == .answered(status: 204, retryAfterSeconds: nil))
            let later = await client.post(receiver.request(base + "/later"))
            #expect(later == .answered(status: 429, retryAfterSeconds: 17))
            // Beyond 64 bits.
            let muchLater = await client.post(receiver.request(base + "/much-later"))
            #expect(
                muchLater == .answered(status: 429, retryAfterSeconds: Double(Int64.max)))
            let long = await client.post(receiver.request(base + "/long"))
            #expect(long == .answered(status: 200, retryAfterSeconds: nil))
            let request = try #require(receiver.seen.withLock { $0.first })
            #expect(request.method == "POST")
            #expect(request.headers["webhook-id"] == "msg_1")
            #expect(request.body == Array(#"{"n":1}"#.utf8))
        }
    }

    @Test func `asks by any method, and keeps the answer's body where it is wanted`() async throws {
        try await Receiver.with { receiver, client, base in
            var request = receiver.request(base + "/long")
            request.answerBytesMax = 300_000
            let long = await client.send(request)
            #expect(long.answer == .answered(status: 200, retryAfterSeconds: nil))
            #expect(long.body == [UInt8](repeating: 65, count: 300_000))
            request.answerBytesMax = 299_999
            #expect(await client.send(request).answer == .failed(.answerTooLong))
            for method in ["GET", "PUT", "DELETE"] {
                request.method = method
                request.url = base + "/\(method)"
                let reply = await client.send(request)
                #expect(reply.answer == .answered(status: 204, retryAfterSeconds: nil))
                #expect(reply.body == [])
            }
            let seen = receiver.seen.withLock { $0.suffix(3) }
            #expect(seen.map(\.method) == ["GET", "PUT", "DELETE"])
            #expect(
                seen.map { String(decoding: $0.body, as: UTF8.self) } == [
                    "", #"{"n":1}"#, #"{"n":1}"#,
                ])
        }
    }

    @Test func `follows no redirect`() async throws {
        try await Receiver.with { receiver, client, base in
            let answer = await client.post(receiver.request(base + "/moved"))
            #expect(answer == .answered(status: 302, retryAfterSeconds: nil))
            #expect(receiver.seen.withLock { $0.count } == 1)
        }
    }

    @Test func `keeps its deadline, and many can be under way`() async throws {
        try await Receiver.with { receiver, client, base in
            let began = ContinuousClock.now
            await withTaskGroup(of: WebAnswer.self) { group in
                for _ in 0..<40 {
                    group.addTask {
                        await client.post(receiver.request(base + "/slow", deadline: 0.5))
                    }
                    group.addTask { await client.post(receiver.request(base + "/hook")) }
                }
                var answers: [WebAnswer: Int] = [:]
                for await answer in group { answers[answer, default: 0] += 1 }
                #expect(answers[.failed(.tooSlow)] == 40)
                #expect(answers[.answered(status: 204, retryAfterSeconds: nil)] == 40)
            }
            #expect(ContinuousClock.now - began < .seconds(4))
        }
    }

    @Test func `asks no address of this machine, whatever its name`() async throws {
        try await Receiver.with(.init()) { receiver, client, base in
            let port = base.split(separator: ":").last.map(String.init) ?? ""
            for host in ["127.0.0.1", "localhost", "[::1]", "0x7f.1"] {
                let answer = await client.post(receiver.request("https://\(host):\(port)/hook"))
                #expect(answer == .failed(.addressNotPublic), "\(host)")
            }
            let plain = await client.post(receiver.request(base + "/hook"))
            #expect(plain == .failed(.invalidURL))
            #expect(receiver.seen.withLock { $0.isEmpty })
        }
    }

    @Test func `says why there was no answer`() async throws {
        try await Receiver.with { receiver, client, base in
            let closed = await client.post(receiver.request("http://127.0.0.1:9/hook"))
            #expect(closed == .failed(.cannotConnect))
            let nobody = await client.post(receiver.request("https://nobody.invalid/hook"))
            #expect(nobody == .failed(.nameNotFound))
            let file = await client.post(receiver.request("file:///etc/passwd"))
            #expect(file == .failed(.invalidURL))
            let plain = await client.post(
                receiver.request(base.replacing("http:", with: "https:") + "/hook"))
            #expect(plain == .failed(.notTrusted))
        }
    }

    @Test func `gives a request up with its caller, and all with itself`() async throws {
        try await Receiver.with { receiver, client, base in
            let task = Task { await client.post(receiver.request(base + "/slow")) }
            try await waitUntil { receiver.seen.withLock { $0.count } == 1 }
            task.cancel()
            #expect(await task.value == .failed(.cancelled))
            let other = Task { await client.post(receiver.request(base + "/slow")) }
            try await waitUntil { receiver.seen.withLock { $0.count } == 2 }
            await client.close()
            #expect(await other.value == .failed(.cancelled))
            #expect(await client.post(receiver.request(base + "/hook")) == .failed(.cancelled))
        }
    }

    @Test func `trusts the authority that it is given, and no other`() async throws {
        let receiver = Receiver()
        let authority = try SelfSignedAuthority.make(hosts: ["127.0.0.1"])
        let file = NSTemporaryDirectory() + "islet-authority-\(UUID().uuidString).pem"
        try authority.authorityPEM.write(toFile: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: file) }
        let server = HTTP2Server(
            loop: receiver.loop, host: "127.0.0.1", port: 0,
            tls: try .server(
                certificateChainPEM: authority.certificatePEM,
                privateKeyPEM: authority.privateKeyPEM),
            answering: { .response(await receiver.handler($0)) })
        let port = try await server.start()
        let url = "https://127.0.0.1:\(port)/hook"
        for (options, expected) in [
            (
                WebClient.Options(allowsPrivate: true, authorityFile: file),
                WebAnswer.answered(status: 204, retryAfterSeconds: nil)
            ),
            (WebClient.Options(allowsPrivate: true), .failed(.notTrusted)),
        ] {
            let client = WebClient(loop: receiver.loop, options: options)
            #expect(await client.post(receiver.request(url)) == expected)
            await client.close()
        }
        await server.drain(within: .milliseconds(100))
        await receiver.loop.shutdown()
    }
}
