import EventLoop
import Foundation
import HTTP
import TestSupport
import Testing

/// A merchant's backend: reports facts and asks questions over HTTP with an API key.
struct Merchant: Sendable {
    struct Answer: Sendable {
        var status: Int
        var body: Data

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    private let http: HTTP1Client
    private let key: String

    init(port: Int, key: String) {
        http = HTTP1Client(loop: TestDatabase.loop, host: "127.0.0.1", port: port)
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
        var headers: Headers = ["authorization": "Bearer \(key)"]
        if let type { headers.append("content-type", type) }
        let answer = try await http.send(
            Request(
                method: method, target: path, headers: headers, body: Array((body ?? "").utf8)),
            deadline: .seconds(20))
        guard case .bytes(let bytes) = answer.body else { return Answer(status: 0, body: Data()) }
        return Answer(status: answer.status, body: Data(bytes))
    }
}
