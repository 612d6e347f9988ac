import Foundation
import FoundationNetworking
import Testing

/// A merchant's backend: reports facts and asks questions over HTTP with an API key.
struct Merchant: Sendable {
    struct Answer: Sendable {
        var status: Int
        var body: Data

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    private let base: URL
    private let key: String
    private let session: URLSession

    init(port: Int, key: String) throws {
        base = try #require(URL(string: "http://127.0.0.1:\(port)"))
        self.key = key
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 20
        session = URLSession(configuration: configuration)
    }

    /// - Parameter event: one CloudEvents object.
    @discardableResult
    func report(_ event: String) async throws -> Answer {
        try await send("POST", "/v1/events", event, "application/cloudevents+json")
    }

    func register(
        _ token: String, for activity: String, environment: String = "sandbox", bundleID: String
    ) async throws {
        let body =
            #"{"pushToken":"\#(token)","environment":"\#(environment)","#
            + #""bundleId":"\#(bundleID)"}"#
        let answer = try await send(
            "POST", "/v1/activities/\(activity)/registrations", body, "application/json")
        try #require(answer.status == 201, "\(answer.text)")
    }

    func get(_ path: String) async throws -> Answer {
        try await send("GET", path, nil, nil)
    }

    private func send(
        _ method: String, _ path: String, _ body: String?, _ type: String?
    ) async throws -> Answer {
        var request = URLRequest(url: base.appending(path: path))
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization")
        request.setValue(type, forHTTPHeaderField: "Content-Type")
        let (data, response) = try await session.data(for: request)
        return Answer(status: (response as? HTTPURLResponse)?.statusCode ?? 0, body: data)
    }
}
