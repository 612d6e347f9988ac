/// What `body` returns, or `otherwise` when it takes too long; it is then left to end by itself.
public func firstOf<Value: Sendable>(
    withinSeconds seconds: Double, otherwise: Value?,
    _ body: @escaping @Sendable () async -> Value?
) async -> Value? {
    let (answers, answer) = AsyncStream.makeStream(of: Value?.self)
    let asking = Task { answer.yield(await body()) }
    let waiting = Task {
        try? await Task.sleep(for: .seconds(seconds))
        answer.yield(otherwise)
    }
    defer {
        asking.cancel()
        waiting.cancel()
    }
    for await first in answers { return first }
    return otherwise
}
