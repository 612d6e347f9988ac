import EventLoop
import EventStore
import Terminal
import Testing

@testable import DatabaseAccess

struct `What the log says of background work that failed` {
    private func line(_ error: EventStoreError) -> String {
        let lines = Lock<[String]>([])
        let log = Log(lowest: .debug, format: .journald) { line in
            lines.withLock { $0.append(line) }
            return true
        }
        log.failed("it could not be done", error)
        return lines.withLock { $0 }.joined(separator: "\n")
    }

    @Test(
        arguments: [
            .unavailable(detail: "a"), .outcomeUnknown(detail: "a"), .overloaded(detail: "a"),
            .failed(sqlState: "40P01", detail: "a"),
        ] as [EventStoreError])
    func `is a warning when it passes by itself`(error: EventStoreError) {
        #expect(line(error).hasPrefix("<4>it could not be done why="))
    }

    @Test func `is no more than said of a tenant that moves, and an error of another schema`() {
        #expect(line(.moving(detail: "a")).hasPrefix("<6>"))
        #expect(line(.schema(detail: "a")).hasPrefix("<3>"))
    }

    @Test func `is one error by its kind, not by its words`() {
        let one = EventStoreError.unavailable(detail: "a")
        #expect(one.name == EventStoreError.unavailable(detail: "b").name)
        let others: [EventStoreError] = [
            one, .outcomeUnknown(detail: "a"), .overloaded(detail: "a"), .moving(detail: "a"),
            .failed(sqlState: "53100", detail: "a"), .failed(sqlState: "57014", detail: "a"),
            .schema(detail: "a"),
        ]
        #expect(Set(others.map(\.name)).count == others.count)
    }
}
