import BucketStandIn
import EventLoop
import Testing

@testable import ObjectStorage

@Suite(.timeLimit(.minutes(1)))
struct `A client of a bucket` {
    private static func bucket(
        _ endpoint: String, _ name: String = BucketStandIn.bucket, token: String? = nil
    ) throws -> Bucket {
        var bucket = try Bucket(
            name, endpoint: endpoint, region: "eu-central-1",
            credentials: #require(
                BucketCredentials(
                    keyID: BucketStandIn.keyID, secret: "secret", sessionToken: token)))
        bucket.firstPauseMillis = 1
        bucket.deadlineSeconds = 2
        return bucket
    }

    private func with(
        _ bucket: Bucket, _ body: (BucketClient) async throws -> Void
    ) async throws {
        let loop = EventLoop(name: "client")
        let client = BucketClient(bucket, on: loop)
        let result: Result<Void, any Error>
        do { result = .success(try await body(client)) } catch { result = .failure(error) }
        await client.close()
        await loop.shutdown()
        try result.get()
    }

    private func withBucket(
        _ body: (BucketStandIn, BucketClient) async throws -> Void
    ) async throws {
        try await BucketStandIn.with { standIn, endpoint in
            try await with(Self.bucket(endpoint)) { try await body(standIn, $0) }
        }
    }

    /// Nil when it is not refused.
    private func refusal(_ body: () async throws(BucketError) -> Void) async -> BucketError? {
        do throws(BucketError) {
            try await body()
            return nil
        } catch { return error }
    }

    @Test func `writes an object and reads it in parts up to its end`() async throws {
        try await withBucket { standIn, client in
            let bytes = (0..<900_000).map { UInt8(truncatingIfNeeded: $0 * 7 % 251) }
            try await client.put("a/b c.ndjson", bytes, contentType: "text/plain")
            #expect(standIn.objects["a/b c.ndjson"] == bytes)
            var read: [UInt8] = []
            while let part = try await client.get(
                "a/b c.ndjson", from: read.count, bytesMax: 400_000), !part.isEmpty
            {
                read += part
            }
            #expect(read == bytes)
            #expect(try await client.get("a/none", from: 0, bytesMax: 1) == nil)
            try await client.put("empty", [], contentType: "text/plain")
            #expect(try await client.get("empty", from: 0, bytesMax: 1) == [])
        }
    }

    @Test func `signs a session's token too`() async throws {
        try await BucketStandIn.with { standIn, endpoint in
            try await with(Self.bucket(endpoint, token: "to/ken+==")) { client in
                try await client.put("a", [1], contentType: "text/plain")
            }
            let seen = try #require(standIn.seen.first)
            #expect(seen.token == "to/ken+==")
            #expect(seen.authorization.contains("x-amz-security-token"))
            #expect(!seen.authorization.contains("secret"))
        }
    }

    @Test(arguments: [500, 502, 503, 429, 408])
    func `tries again what may pass, a few times`(status: Int) async throws {
        try await withBucket { standIn, client in
            let passing = BucketStandIn.Fault.answer(status: status, code: nil)
            standIn.next("PUT", "", passing, passing, passing, passing)
            try await client.put("a", [1, 2], contentType: "text/plain")
            #expect(standIn.objects["a"] == [1, 2])
            #expect(standIn.seen.count == 5)
            standIn.next("GET", "", passing, passing, passing, passing, passing)
            let refusal = await refusal { () async throws(BucketError) in
                _ = try await client.get("a", from: 0, bytesMax: 9)
            }
            #expect(refusal == .refused(status: status, code: nil))
            #expect(standIn.seen.count == 10)
        }
    }

    @Test(arguments: [
        (403, "AccessDenied", "s3:ListBucket"), (403, "SignatureDoesNotMatch", "secret"),
        (403, "RequestTimeTooSkewed", "clock"), (301, "PermanentRedirect", "--s3-region"),
        (400, "ExpiredToken", "session token"), (400, "EntityTooLarge", "400"),
    ])
    func `says what was refused and what to do, and does not try again`(
        status: Int, code: String, remedy: String
    ) async throws {
        try await withBucket { standIn, client in
            standIn.next("PUT", "", .answer(status: status, code: code))
            let refusal = await refusal { () async throws(BucketError) in
                try await client.put("a", [1], contentType: "text/plain")
            }
            #expect(refusal == .refused(status: status, code: code))
            #expect(refusal?.description.contains(remedy) == true, "\(refusal?.description ?? "")")
            #expect(standIn.seen.count == 1)
        }
    }

    @Test func `tells a bucket that is missing from an object that is`() async throws {
        try await BucketStandIn.with { _, endpoint in
            try await with(Self.bucket(endpoint, "other-bucket")) { client in
                let refusal = await refusal { () async throws(BucketError) in
                    _ = try await client.get("a", from: 0, bytesMax: 1)
                }
                #expect(refusal == .refused(status: 404, code: "NoSuchBucket"))
            }
        }
    }

    @Test func `does not wait for ever`() async throws {
        try await BucketStandIn.with { standIn, endpoint in
            var bucket = try Self.bucket(endpoint)
            bucket.deadlineSeconds = 0.2
            standIn.objects = ["a": [1]]
            let slow = BucketStandIn.Fault.slow(.seconds(20))
            standIn.next("GET", "", slow, slow, slow, slow, slow)
            let began = ContinuousClock.now
            try await with(bucket) { client in
                let refusal = await refusal { () async throws(BucketError) in
                    _ = try await client.get("a", from: 0, bytesMax: 1)
                }
                #expect(refusal == .unreachable("no answer in 0 s"))
            }
            #expect(ContinuousClock.now - began < .seconds(10))
        }
    }

    @Test func `gives up at once when the caller does`() async throws {
        try await withBucket { standIn, client in
            standIn.next("GET", "", .slow(.seconds(20)))
            let asking = Task {
                await refusal { () async throws(BucketError) in
                    _ = try await client.get("a", from: 0, bytesMax: 1)
                }
            }
            while standIn.seen.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            let began = ContinuousClock.now
            asking.cancel()
            #expect(await asking.value == .interrupted)
            #expect(ContinuousClock.now - began < .seconds(5))
        }
    }

    /// Each connection gets the next of the answers, and is closed.
    private func withAnswers(
        _ answers: [String], _ body: (BucketClient) async throws -> Void
    ) async throws {
        let loop = EventLoop(name: "raw")
        let rest = Lock(answers)
        let port = try await loop.submit { () throws(NetworkError) in
            try loop.listen(host: "127.0.0.1", port: 0) { socket in
                socket.onBytes = { [weak socket] _ in
                    let answer = rest.withLock { $0.isEmpty ? "" : $0.removeFirst() }
                    socket?.write(Array(answer.utf8))
                    socket?.shutdownThenClose()
                }
            }.port
        }
        let result: Result<Void, any Error>
        do {
            result = .success(
                try await with(Self.bucket("http://127.0.0.1:\(port)"), body))
        } catch { result = .failure(error) }
        await loop.shutdown()
        try result.get()
    }

    private static let cut = "HTTP/1.1 206 Partial Content\r\ncontent-length: 9\r\n\r\nhal"
    private static let whole = "HTTP/1.1 206 Partial Content\r\ncontent-length: 5\r\n\r\nwhole"

    @Test func `takes nothing of a body that was cut off`() async throws {
        try await withAnswers([Self.cut, Self.cut, Self.whole]) { client in
            let part = try await client.get("a", from: 0, bytesMax: 9)
            #expect(part == Array("whole".utf8))
        }
        try await withAnswers([Self.cut, Self.cut, Self.cut, Self.cut, Self.cut]) { client in
            let refusal = await refusal { () async throws(BucketError) in
                _ = try await client.get("a", from: 0, bytesMax: 9)
            }
            guard case .unreachable? = refusal else {
                Issue.record("\(refusal?.description ?? "it was taken")")
                return
            }
        }
    }

    @Test func `takes no parts from a server that gives other ones`() async throws {
        let all = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nwhole"
        try await withAnswers([all, all, Self.whole]) { client in
            let part = try await client.get("a", from: 0, bytesMax: 9)
            #expect(part == Array("whole".utf8))
            for (offset, bytesMax) in [(2, 9), (0, 4)] {
                let refusal = await refusal { () async throws(BucketError) in
                    _ = try await client.get("a", from: offset, bytesMax: bytesMax)
                }
                guard case .strange? = refusal else {
                    Issue.record("\(refusal?.description ?? "it was taken")")
                    return
                }
            }
        }
    }

    @Test func `says that nothing listens`() async throws {
        try await with(Self.bucket("http://127.0.0.1:1")) { client in
            let refusal = await refusal { () async throws(BucketError) in
                try await client.put("a", [1], contentType: "text/plain")
            }
            #expect(refusal?.description.contains("--s3-endpoint") == true)
        }
    }
}
