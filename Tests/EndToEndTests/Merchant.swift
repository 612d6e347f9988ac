import EventLoop
import Foundation
import TestSupport
import Testing
import WebClient

/// A merchant's backend: reports facts and asks questions over HTTP with an API key.
struct Merchant: Sendable {
    struct Answer: Sendable {
        var status: Int
        var body: Data

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    private let web = WebClient(
        loop: TestDatabase.loop, options: WebClient.Options(allowsPrivate: true))
    private let url: String
    private let key: String

    init(port: Int, key: String) {
        url = "http://127.0.0.1:\(port)"
        self.key = key
    }

    /// - Parameter event: one CloudEvents object.
    @discardableResult
    func report(_ event: String) async throws -> Answer {
        try await send("POST", "/v1/events", event, "application/cloudevents+json")
    }

    func register(
        _ token: String, for activity: String, environment: String = "sandbox", bundleID: String,
        installation: String? = nil
    ) async throws {
        let name = installation.map { #","installation":"\#($0)""# } ?? ""
        let body =
            #"{"pushToken":"\#(token)","environment":"\#(environment)","#
            + #""bundleId":"\#(bundleID)"\#(name)}"#
        let answer = try await send(
            "POST", "/v1/activities/\(activity)/registrations", body, "application/json")
        try #require(answer.status == 201, "\(answer.text)")
    }

    /// - Parameter body: one JSON object, for something that is new.
    func put(_ path: String, _ body: String) async throws {
        let answer = try await send("PUT", path, body, "application/json")
        try #require(answer.status == 201, "\(answer.text)")
    }

    func get(_ path: String) async throws -> Answer {
        try await send("GET", path, nil, nil)
    }

    func ask(_ method: String, _ path: String, _ json: String) async throws -> Answer {
        try await send(method, path, json, "application/json")
    }

    private func send(
        _ method: String, _ path: String, _ body: String?, _ type: String?
    ) async throws -> Answer {
        var headers = [(name: "authorization", value: "Bearer \(key)")]
        if let type { headers.append(("content-type", type)) }
        let reply = await web.send(
            WebRequest(
                method, url: url + path, headers: headers, body: Array((body ?? "").utf8),
                deadlineSeconds: 20, share: "merchant", answerBytesMax: 64 << 20))
        guard case .answered(let status, _) = reply.answer else { throw NoAnswer(to: path) }
        return Answer(status: status, body: Data(reply.body))
    }

    struct NoAnswer: Error {
        var to: String
    }
}
