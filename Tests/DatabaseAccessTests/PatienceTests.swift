import EventLoop
import EventStore
import Postgres
import Terminal
import Testing

@testable import DatabaseAccess

struct `What a start asks the database` {
    /// Fails a few times, and then says which time it is.
    private final class Question: Sendable {
        private let count = Lock(0)
        private let failures: Int
        private let error: EventStoreError

        init(failing failures: Int, _ error: EventStoreError) {
            (self.failures, self.error) = (failures, error)
        }

        var times: Int { count.withLock { $0 } }

        func ask() async throws(EventStoreError) -> Int {
            count.withLock { $0 += 1 }
            guard times > failures else { throw error }
            return times
        }
    }

    private static let broken = EventStoreError.outcomeUnknown(detail: "the connection broke")

    private func refusal(
        of question: Question, patience: Duration
    ) async -> CommandFailure? {
        do throws(CommandFailure) {
            _ = try await Database.asked(patience: patience, try await question.ask())
            return nil
        } catch { return error }
    }

    @Test func `is asked again when the connection breaks, as long as a start waits`() async {
        let question = Question(failing: 2, Self.broken)
        #expect(await refusal(of: question, patience: Database.startPatience) == nil)
        #expect(question.times == 3)
    }

    @Test func `is asked once by what waits for nothing`() async {
        let question = Question(failing: 2, Self.broken)
        let refusal = await refusal(of: question, patience: .zero)
        #expect(refusal?.text.contains("the connection broke") == true)
        #expect(question.times == 1)
    }

    @Test func `is asked once where no time would help`() async {
        let question = Question(failing: 2, .schema(detail: "migrate the database first"))
        let refusal = await refusal(of: question, patience: Database.startPatience)
        #expect(refusal == .failed("migrate the database first"))
        #expect(question.times == 1)
    }

    @Test func `waits for no connection where a server is too large for its database`() {
        let serverError = ServerError(sqlState: SQLState.tooManyConnections, message: "35 of 20")
        #expect(PostgresError.notAdmitted(serverError).isShortOfConnections)
        #expect(!PostgresError.connectionLost(detail: "it broke").isShortOfConnections)
        #expect(PostgresError.connectionLost(detail: "it broke").isWorthWaiting)
    }
}
