import EventLoop
import Encodings
import Foundation
import HTTP
import TLS

/// An object store in memory that keeps one bucket, and goes wrong when a test wants it to. It
/// looks at the shape of a signature and at the digest of the body; whether a signature is right,
/// a foreign server says.
public final class BucketStandIn: Sendable {
    public static let bucket = "archive"
    public static let keyID = "AKISLET"

    /// What happens to one request.
    public enum Fault: Sendable {
        case answer(status: Int, code: String?)
        /// Answers only after that time.
        case slow(Duration)
        /// Keeps or gives other bytes than it should.
        case garbles
    }

    public struct Seen: Sendable {
        public var method: String
        /// Decoded, without the bucket.
        public var key: String
        public var authorization: String
        public var token: String?
    }

    private struct State {
        var objects: [String: [UInt8]] = [:]
        var seen: [Seen] = []
        var faults: [(method: String, key: String, fault: Fault)] = []
    }

    private let state = Lock(State())
    private let loop = EventLoop(name: "bucket")

    /// With the server's endpoint.
    public static func with(_ body: (BucketStandIn, _ endpoint: String) async throws -> Void)
        async throws
    {
        let standIn = BucketStandIn()
        let server = HTTP1Server(loop: standIn.loop, host: "127.0.0.1", port: 0) {
            await standIn.answer($0)
        }
        let port = try await server.start()
        let result: Result<Void, any Error>
        do { result = .success(try await body(standIn, "http://127.0.0.1:\(port)")) } catch {
            result = .failure(error)
        }
        await server.drain(within: .milliseconds(100))
        await standIn.loop.shutdown()
        try result.get()
    }

    public var objects: [String: [UInt8]] {
        get { state.withLock { $0.objects } }
        set { state.withLock { $0.objects = newValue } }
    }

    public var seen: [Seen] { state.withLock { $0.seen } }

    /// The next requests of the method whose key ends so have the faults, one each.
    public func next(_ method: String, _ suffix: String = "", _ faults: Fault...) {
        state.withLock { state in state.faults += faults.map { (method, suffix, $0) } }
    }

    private func answer(_ request: Request) async -> Response {
        let path = request.path.split(separator: "/", maxSplits: 1)
        guard path.count == 2, path[0] == Self.bucket, let key = path[1].removingPercentEncoding
        else { return Self.refusal(404, "NoSuchBucket") }
        let authorization = request.headers["authorization"] ?? ""
        state.withLock {
            $0.seen.append(
                Seen(
                    method: request.method, key: key, authorization: authorization,
                    token: request.headers["x-amz-security-token"]))
        }
        guard Self.isSigned(authorization) else { return Self.refusal(403, "AccessDenied") }
        guard
            request.headers["x-amz-content-sha256"]
                == Hexadecimal.encode(SHA256.hash(request.body))
        else { return Self.refusal(400, "XAmzContentSHA256Mismatch") }
        let fault = state.withLock { state -> Fault? in
            let index = state.faults.firstIndex {
                $0.method == request.method && key.hasSuffix($0.key)
            }
            return index.map { state.faults.remove(at: $0).fault }
        }
        var garbles = false
        switch fault {
        case .answer(let status, let code): return Self.refusal(status, code)
        case .slow(let time): try? await Task.sleep(for: time)
        case .garbles: garbles = true
        case nil: break
        }
        return request.method == "PUT"
            ? put(key, request.body, garbles) : get(key, request.headers["range"] ?? "", garbles)
    }

    private func put(_ key: String, _ body: [UInt8], _ garbles: Bool) -> Response {
        state.withLock { $0.objects[key] = garbles ? Self.garbled(body) : body }
        return Response(status: 200)
    }

    private func get(_ key: String, _ range: String, _ garbles: Bool) -> Response {
        guard let object = objects[key] else { return Self.refusal(404, "NoSuchKey") }
        guard let match = range.wholeMatch(of: /bytes=(\d+)-(\d+)/), let first = Int(match.1),
            let last = Int(match.2), first <= last
        else { return Self.refusal(400, "InvalidArgument") }
        guard first < object.count else { return Self.refusal(416, "InvalidRange") }
        let part = Array(object[first...min(last, object.count - 1)])
        return Response(status: 206, body: .bytes(garbles ? Self.garbled(part) : part))
    }

    /// Source: "Authenticating Requests: Using the Authorization Header", Amazon S3 API reference.
    private static func isSigned(_ text: String) -> Bool {
        let shape = #/AWS4-HMAC-SHA256 Credential=([A-Z]+)/\d{8}/[a-z0-9-]+/s3/aws4_request, /#
        let rest = #/SignedHeaders=([a-z0-9;-]+), Signature=[0-9a-f]{64}/#
        guard let head = text.prefixMatch(of: shape), head.1 == keyID,
            let tail = text[head.range.upperBound...].wholeMatch(of: rest)
        else { return false }
        let signed = tail.1.split(separator: ";").map(String.init)
        return signed == signed.sorted()
            && Set(signed).isSuperset(of: ["host", "x-amz-content-sha256", "x-amz-date"])
    }

    private static func garbled(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        if let last = bytes.indices.last { bytes[last / 2] ^= 1 }
        return bytes
    }

    private static func refusal(_ status: Int, _ code: String?) -> Response {
        let text = code.map {
            "<?xml version=\"1.0\"?><Error><Code>\($0)</Code><Message>no</Message></Error>"
        }
        return Response(status: status, body: .bytes(Array((text ?? "").utf8)))
    }
}
