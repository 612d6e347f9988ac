import Domain
public import EventLoop
public import Foundation
public import JSON
public import Projections
import WebClient

/// Talks to a running server as a merchant's backend and an app would: over HTTP with an API key,
/// or a ticket in its place.
public struct RemoteServer: Sendable {
    /// A request that did not succeed.
    public enum Failure: Error {
        /// No answer: the server is away, perhaps for a moment.
        case unreachable(String)
        /// The tenant's allowance is used up for so long.
        case busy(for: Duration, detail: String)
        /// A problem document; of several errors the first.
        case refused(status: Int, detail: String)
    }

    /// What the ledger says of one change; the members the demo needs.
    public struct Row: Decodable {
        public var version: Int64
        public var verdict: String
        public var rule: String
        public var reason: String
        public var order: Order?

        public struct Order: Decodable {
            public var step: String
        }
    }

    private let web: WebClient
    private let server: ServerURL
    private var key: String

    /// The user of a command says which server is asked, and that may be one of this machine.
    public init(_ server: ServerURL, key: String, on loop: EventLoop) {
        web = WebClient(loop: loop, options: WebClient.Options(allowsPrivate: true))
        self.server = server
        self.key = key
    }

    /// What `/readyz` says that is wrong, or why it says nothing; nil when all is well.
    public var healthComplaint: String? {
        get async {
            do throws(Failure) {
                _ = try await send("GET", "/readyz")
                return nil
            } catch {
                switch error {
                case .unreachable(let detail), .busy(_, let detail), .refused(_, let detail):
                    return detail
                }
            }
        }
    }

    /// - Parameter event: one CloudEvents object as JSON.
    /// - Returns: the version that the event has in its activity.
    public func post(event: Data) async throws(Failure) -> Int64 {
        struct Answer: Decodable {
            struct Receipt: Decodable { var version: Int64 }
            var events: [Receipt]
        }
        let data = try await send(
            "POST", "/v1/events", event, type: "application/cloudevents+json")
        guard let answer = try? JSONDecoder().decode(Answer.self, from: data),
            let outcome = answer.events.first
        else { throw .refused(status: 200, detail: "the intake's answer cannot be read") }
        return outcome.version
    }

    /// Reports several at one stroke: all of them, or none.
    public func post(batch events: [Data]) async throws(Failure) {
        let body = Data("[".utf8) + events.joined(separator: Data(",".utf8)) + Data("]".utf8)
        _ = try await send(
            "POST", "/v1/events", body, type: "application/cloudevents-batch+json")
    }

    /// - Returns: a client that may do what a phone does with the activity, for half a day.
    public func app(of activity: String) async throws(Failure) -> RemoteServer {
        struct Answer: Decodable { var ticket: String }
        let data = try await send(
            "POST", "/v1/activities/\(escaped(activity))/tickets",
            WireCoder.encode(["ttlSeconds": 43_200]))
        guard let answer = try? JSONDecoder().decode(Answer.self, from: data) else {
            throw .refused(status: 201, detail: "the ticket cannot be read")
        }
        var app = self
        app.key = answer.ticket
        return app
    }

    public func register(
        activity: String, pushToken: String, bundleID: String, installation: String
    ) async throws(Failure) {
        try await tell(
            activity, "registrations",
            [
                "pushToken": pushToken, "environment": "sandbox", "bundleId": bundleID,
                "installation": installation,
            ])
    }

    public func rotate(activity: String, from: String, to: String) async throws(Failure) {
        try await tell(activity, "registrations/rotation", ["from": from, "to": to])
    }

    public func report(activity: String, pushToken: String, state: String) async throws(Failure) {
        try await tell(
            activity, "registrations/report", ["pushToken": pushToken, "state": state])
    }

    /// Asks for a channel; there is one a moment later.
    public func putChannel(activity: String, bundleID: String) async throws(Failure) {
        _ = try await send(
            "PUT", "/v1/activities/\(escaped(activity))/channels/\(escaped(bundleID))",
            WireCoder.encode(["environment": "sandbox"]))
    }

    public func putStartToken(
        of installation: String, kind: String, pushToken: String, bundleID: String, topic: String,
        osMajor: Int
    ) async throws(Failure) {
        struct Body: Encodable {
            var pushToken: String
            var environment = "sandbox"
            var bundleId: String
            var topics: [String]
            var osMajor: Int
        }
        _ = try await send(
            "PUT", "/v1/start-tokens/\(escaped(installation))/\(kind)",
            WireCoder.encode(
                Body(pushToken: pushToken, bundleId: bundleID, topics: [topic], osMajor: osMajor)))
    }

    public func putAudience(activity: String, topic: String) async throws(Failure) {
        _ = try await send(
            "PUT", "/v1/activities/\(escaped(activity))/audience",
            WireCoder.encode(["topics": [topic]]))
    }

    private func tell(
        _ activity: String, _ path: String, _ body: [String: String]
    ) async throws(Failure) {
        _ = try await send(
            "POST", "/v1/activities/\(escaped(activity))/\(path)", WireCoder.encode(body))
    }

    public func put(policy: PolicyDocument, ofKind kind: String) async throws(Failure) {
        _ = try await send("PUT", "/v1/policies/\(kind)", policy.encoded)
    }

    public func decisions(activity: String, after version: Int64) async throws(Failure) -> [Row] {
        struct Page: Decodable { var decisions: [Row] }
        let data = try await send(
            "GET", "/v1/activities/\(escaped(activity))/decisions?after=\(version)")
        do { return try JSONDecoder().decode(Page.self, from: data).decisions } catch {
            throw .refused(status: 200, detail: "the ledger's answer cannot be read")
        }
    }

    /// - Returns: the sentences that say why phones were sent what they got.
    public func why(activity: String, version: Int64) async throws(Failure) -> [String] {
        struct Answer: Decodable { var sentences: [String] }
        let data = try await send(
            "GET", "/v1/activities/\(escaped(activity))/why?version=\(version)")
        do { return try JSONDecoder().decode(Answer.self, from: data).sentences } catch {
            throw .refused(status: 200, detail: "the explanation cannot be read")
        }
    }

    /// - Returns: the answer of `GET /v1/activities/{id}`, once it is at the version.
    /// - Throws: `.refused` with 404 while it is not.
    public func activity(
        _ activity: String, atLeast version: Int64 = 0
    ) async throws(Failure) -> JSON {
        let data = try await send("GET", "/v1/activities/\(escaped(activity))")
        guard let object = try? JSONParser.parse(Array(data)), case .object = object else {
            throw .refused(status: 200, detail: "the activity's answer cannot be read")
        }
        if object["version"]?.wholeNumber ?? 0 < version {
            throw .refused(status: 404, detail: "\(activity) is not folded up to \(version)")
        }
        return object
    }

    private func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }

    private func send(
        _ method: String, _ path: String, _ body: Data? = nil, type: String = "application/json"
    ) async throws(Failure) -> Data {
        var headers = [(name: "authorization", value: "Bearer \(key)")]
        if body != nil { headers.append(("content-type", type)) }
        let reply = await web.send(
            WebRequest(
                method, url: server.text + path, headers: headers, body: body.map(Array.init) ?? [],
                deadlineSeconds: Self.deadlineSeconds, share: server.text,
                answerBytesMax: Self.answerBytesMax))
        switch reply.answer {
        case .failed(let failure): throw .unreachable(Self.words(failure))
        case .answered(let status, let seconds):
            let data = Data(reply.body)
            guard (200..<300).contains(status) else {
                throw Self.failure(status, data, retryAfterSeconds: seconds)
            }
            return data
        }
    }

    private static let deadlineSeconds = 10.0
    /// The largest answers are pages of a ledger.
    private static let answerBytesMax = 64 << 20

    private static func words(_ failure: WebFailure) -> String {
        switch failure {
        case .nameNotFound: "nobody knows the host's name"
        case .nameLookupBusy, .busy: "too many requests are under way"
        case .cannotConnect: "nothing listens there"
        case .notTrusted: "the server's certificate is not trusted"
        case .tooSlow: "no answer in \(Int(deadlineSeconds)) s"
        case .answerTooLong: "the answer is too long"
        case .broken: "what came is no answer of HTTP, or was cut off"
        case .addressNotPublic, .invalidURL: "the URL cannot be asked"
        case .cancelled: "the command was interrupted"
        }
    }

    private static func failure(
        _ status: Int, _ body: Data, retryAfterSeconds: Double?
    ) -> Failure {
        struct Problem: Decodable {
            struct InputError: Decodable { var detail: String }
            var detail: String?
            var errors: [InputError]?
        }
        let problem = try? JSONDecoder().decode(Problem.self, from: body)
        let errors = problem?.errors ?? []
        var detail = problem?.detail ?? "status \(status)"
        if let first = errors.first, errors.count > 1 {
            detail = "\(first.detail) The first of \(errors.count) errors."
        }
        switch status {
        case 429:
            return .busy(for: .seconds(min(max(retryAfterSeconds ?? 1, 1), 60)), detail: detail)
        case 503: return .unreachable(detail)
        default: return .refused(status: status, detail: detail)
        }
    }
}

extension RemoteServer.Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreachable(let detail): "the server cannot be reached: \(detail)"
        case .busy(_, let detail): "the server is busy: \(detail)"
        case .refused(let status, let detail): "the server refused (\(status)): \(detail)"
        }
    }
}
