import Encodings
public import EventLoop
import TLS
import WebClient

/// Reads and writes objects of a bucket. Every wait has an end: each request has a deadline, and is
/// sent a few times at most.
public final class BucketClient: Sendable {
    private let bucket: Bucket
    private let client: WebClient

    /// Connects to nobody yet.
    public init(_ bucket: Bucket, on loop: EventLoop) {
        self.bucket = bucket
        // The operator names the server: it may be in a network of one's own.
        client = WebClient(
            loop: loop, options: .init(allowsPrivate: true, authorityFile: bucket.authorityFile))
    }

    public func close() async { await client.close() }

    /// Writes a whole object in place of the one that is there. The server checks the body by the
    /// digest that is signed with it.
    public func put(
        _ key: String, _ bytes: [UInt8], contentType: String
    ) async throws(BucketError) {
        let answer = try await ask(
            "PUT", key, [("content-type", contentType)], body: bytes,
            answerBytesMax: Limits.refusalBytesMax)
        guard (200..<300).contains(answer.status) else { throw answer.refusal }
    }

    /// Reads a part of an object.
    /// - Returns: at most so many bytes, and none at the object's end or beyond; nil where there is
    ///   no such object.
    public func get(
        _ key: String, from offset: Int, bytesMax: Int
    ) async throws(BucketError) -> [UInt8]? {
        let answer = try await ask(
            "GET", key, [("range", "bytes=\(offset)-\(offset + bytesMax - 1)")], body: [],
            answerBytesMax: max(bytesMax, Limits.refusalBytesMax))
        switch (answer.status, answer.code) {
        case (206, _):
            guard answer.body.count <= bytesMax else {
                throw .strange("it gives more than was asked for")
            }
            return answer.body
        // Allowed to a server that gives no parts.
        case (200, _) where offset == 0 && answer.body.count <= bytesMax: return answer.body
        case (200, _): throw .strange("it does not give parts of objects")
        case (416, _): return []
        case (404, let code) where code != "NoSuchBucket": return nil
        default: throw answer.refusal
        }
    }

    private struct Answer {
        var status: Int
        var body: [UInt8]

        /// Source: the element `Code` of S3's error documents.
        var code: String? {
            let text = String(decoding: body.prefix(Limits.refusalBytesMax), as: UTF8.self)
            guard status >= 300, let match = text.firstMatch(of: /<Code>([A-Za-z0-9.]{1,64})</)
            else { return nil }
            return String(match.1)
        }

        var refusal: BucketError { .refused(status: status, code: code) }
    }

    private func ask(
        _ method: String, _ key: String, _ headers: [(name: String, value: String)],
        body: [UInt8], answerBytesMax: Int
    ) async throws(BucketError) -> Answer {
        var headers = headers
        headers.append(("x-amz-content-sha256", Hexadecimal.encode(SHA256.hash(body))))
        if let token = bucket.credentials.sessionToken {
            headers.append(("x-amz-security-token", token))
        }
        let bytes = max(body.count, answerBytesMax)
        let request = WebRequest(
            method, url: bucket.url(of: key), headers: headers, body: body,
            deadlineSeconds: bucket.deadlineSeconds + Double(bytes / Limits.bytesASecond),
            share: bucket.name, answerBytesMax: answerBytesMax,
            signer: RequestSigner(
                region: bucket.region, service: "s3", keyID: bucket.credentials.keyID,
                secret: bucket.credentials.secret))
        var attempt = 1
        while true {
            let reply = await client.send(request)
            guard !Task.isCancelled else { throw .interrupted }
            let failure: BucketError
            var pause = Double(pauseMillis(after: attempt)) / 1_000
            switch reply.answer {
            case .answered(let status, let retryAfterSeconds):
                let answer = Answer(status: status, body: reply.body)
                guard Self.mayPass(answer) else { return answer }
                failure = answer.refusal
                pause = max(pause, min(retryAfterSeconds ?? 0, Limits.retryAfterSecondsMax))
            case .failed(let reason):
                failure = .unreachable(Self.words(reason, within: request.deadlineSeconds))
                guard Self.mayPass(reason) else { throw failure }
            }
            guard attempt < Limits.attemptsMax else { throw failure }
            attempt += 1
            try? await Task.sleep(for: .seconds(pause))
            guard !Task.isCancelled else { throw .interrupted }
        }
    }

    private func pauseMillis(after attempt: Int) -> Int {
        min(bucket.firstPauseMillis << (attempt - 1), Limits.pauseMillisMax)
    }

    private static func mayPass(_ answer: Answer) -> Bool {
        switch answer.status {
        case 408, 429, 500, 502, 503, 504: true
        case 400: answer.code == "RequestTimeout"
        default: false
        }
    }

    private static func mayPass(_ failure: WebFailure) -> Bool {
        switch failure {
        case .nameNotFound, .nameLookupBusy, .busy, .cannotConnect, .tooSlow, .broken: true
        case .addressNotPublic, .notTrusted, .answerTooLong, .invalidURL, .cancelled: false
        }
    }

    private static func words(_ failure: WebFailure, within seconds: Double) -> String {
        switch failure {
        case .nameNotFound: "nobody knows the host's name; look at --s3-endpoint"
        case .nameLookupBusy, .busy: "too many requests are under way"
        case .cannotConnect: "nothing listens there; look at --s3-endpoint"
        case .notTrusted: "the server's certificate is not trusted; --s3-ca-file names who is"
        case .tooSlow: "no answer in \(Int(seconds)) s"
        case .answerTooLong: "the answer is too long"
        case .broken: "what came is no answer of HTTP, or was cut off"
        case .addressNotPublic, .invalidURL: "the URL cannot be asked; look at --s3-endpoint"
        case .cancelled: "the command was interrupted"
        }
    }
}
