import Foundation
import FoundationNetworking

/// Merchants and apps that repeat every request until the server has answered it.
struct Caller: Sendable {
    struct Refused: Error {
        var request: String
        var answer: String
    }

    private let base: URL
    private let key: String
    private let session: URLSession

    init(base: URL, key: String) {
        self.base = base
        self.key = key
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 10
        configuration.httpMaximumConnectionsPerHost = 32
        session = URLSession(configuration: configuration)
    }

    /// - Returns: the body of the answer.
    /// - Throws: when the server refuses it, or is away for more than a minute.
    @discardableResult
    func ask(
        _ method: String, _ path: String, _ json: String, type: String = "application/json"
    ) async throws -> Data {
        var request = URLRequest(url: base.appending(path: path))
        request.httpMethod = method
        request.httpBody = Data(json.utf8)
        request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization")
        request.setValue(type, forHTTPHeaderField: "Content-Type")
        let deadline = ContinuousClock.now + .seconds(60)
        var answer = "none"
        while ContinuousClock.now < deadline {
            if let (data, response) = try? await session.data(for: request),
                let status = (response as? HTTPURLResponse)?.statusCode
            {
                if status < 300 { return data }
                answer = "\(status): \(String(decoding: data, as: UTF8.self))"
                if status != 503 { break }
            }
            // The server is away. Not a synchronisation: only not to burn the processor.
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Refused(request: "\(method) \(path)", answer: answer)
    }

    /// Data of an order that is promised for soon.
    static var placed: String { placed(promisedInSeconds: 2_400) }

    static func placed(promisedInSeconds seconds: Double) -> String {
        let promised = ISO8601DateFormatter().string(from: Date().addingTimeInterval(seconds))
        return #"{"orderNumber":"7","numberOfPizzas":2,"totalAmount":"€24.00","#
            + #""promisedAt":"\#(promised)"}"#
    }

    /// - Parameter data: one JSON object.
    func report(_ type: String, _ order: String, _ data: String = "{}") async throws {
        // Of two reports about a driver the one that happened later counts.
        let time = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        try await ask(
            "POST", "v1/events",
            #"{"specversion":"1.0","id":"\#(UUID().uuidString)","source":"/shops/test","#
                + #""type":"PizzaDelivery.\#(type)","subject":"\#(order)","time":"\#(time)","#
                + #""data":\#(data)}"#, type: "application/cloudevents+json")
    }
}
