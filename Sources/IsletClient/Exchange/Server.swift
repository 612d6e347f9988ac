import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One Islet and how to ask it.
struct Server: Sendable {
    let url: URL
    let transport: HTTPTransport

    /// A request without its key.
    struct Question: Sendable {
        var method: String
        /// Names of the path, as they are and not encoded.
        var path: [String]
        var query: [URLQueryItem] = []
        var body: Data?
        var type = "application/json"
    }

    func ask<Answer: Decodable>(
        _ question: Question, _ bearer: Secret, as answer: Answer.Type
    ) async throws(ClientError) -> Answer {
        let (body, response) = try await ask(question, bearer)
        do { return try Self.decoder.decode(Answer.self, from: body) } catch {
            throw .unreadable(status: response.statusCode)
        }
    }

    func ask(
        _ question: Question, _ bearer: Secret
    ) async throws(ClientError) -> (Data, HTTPURLResponse) {
        let request = try self.request(question, bearer)
        let (body, response): (Data, HTTPURLResponse)
        do { (body, response) = try await transport.send(request) } catch {
            throw Self.failure(error)
        }
        let status = response.statusCode
        let pause = response.retryAfter
        guard body.count <= Limits.answerBytesMax else {
            throw .unreadable(status: status, retryAfter: pause)
        }
        if (200..<300).contains(status) { return (body, response) }
        guard var problem = try? Self.decoder.decode(Problem.self, from: body) else {
            throw .unreadable(status: status, retryAfter: pause)
        }
        problem.retryAfter = pause
        throw .refused(problem)
    }

    /// The error's own words may have the address, and nothing else of the request.
    private static func failure(_ error: any Error) -> ClientError {
        if error is CancellationError { return .cancelled }
        if let error = error as? URLError, error.code == .cancelled { return .cancelled }
        return .unreachable(ClientError.reason(error))
    }

    private func request(
        _ question: Question, _ bearer: Secret
    ) throws(ClientError) -> URLRequest {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else {
            throw .unsendable("the server's address is no URL")
        }
        let names = question.path.map { name in
            // A dot's segment would be resolved on the way.
            name.addingPercentEncoding(withAllowedCharacters: Self.unreserved) ?? name
        }
        let base = parts.percentEncodedPath
        parts.percentEncodedPath =
            (base.hasSuffix("/") ? String(base.dropLast()) : base) + "/"
            + names.joined(separator: "/")
        if !question.query.isEmpty { parts.queryItems = question.query }
        guard let address = parts.url else { throw .unsendable("the path is no URL's") }
        var request = URLRequest(url: address, timeoutInterval: Limits.requestSeconds)
        request.httpMethod = question.method
        request.httpBody = question.body
        request.setValue("Bearer \(bearer.value)", forHTTPHeaderField: "Authorization")
        if question.body != nil {
            request.setValue(question.type, forHTTPHeaderField: "Content-Type")
        }
        return request
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { try RFC3339.date(from: $0) }
        return decoder
    }

    static func body(_ value: some Encodable) throws(ClientError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { try RFC3339.text($0).encode(to: $1) }
        do { return try encoder.encode(value) } catch { throw .unsendable("\(error)") }
    }
}
