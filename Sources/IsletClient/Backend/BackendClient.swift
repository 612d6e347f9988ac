public import Foundation

/// What a merchant's backend does with Islet. It has an API key, so it belongs in no app.
///
/// Everything here may be done again, so what gets no answer is tried again by itself, within the
/// bounds of the policy.
public struct BackendClient: Sendable {
    let server: Server
    let key: Secret
    let retries: RetryPolicy
    package var timing = Timing()

    public init(
        server: URL, key: Secret, retries: RetryPolicy = .standard,
        transport: HTTPTransport = .urlSession()
    ) {
        self.server = Server(url: server, transport: transport)
        self.key = key
        self.retries = retries
    }

    func ask<Answer: Decodable>(
        _ question: Server.Question, as answer: Answer.Type
    ) async throws(ClientError) -> Answer {
        try await retrying { () throws(ClientError) in
            try await server.ask(question, key, as: answer)
        }
    }

    func retrying<Answer>(
        _ attempt: () async throws(ClientError) -> Answer
    ) async throws(ClientError) -> Answer {
        var failures = 0
        while true {
            let failure: ClientError
            do throws(ClientError) { return try await attempt() } catch { failure = error }
            failures += 1
            guard failure.isTemporary, failures < retries.attemptsMax else { throw failure }
            let pause = retries.pause(
                after: failures, asked: failure.retryAfter, chance: timing.chance())
            do { try await timing.sleep(pause) } catch { throw .cancelled }
        }
    }
}
