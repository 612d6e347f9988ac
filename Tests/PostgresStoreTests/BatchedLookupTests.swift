import EventLoop
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// Gives the answers that the test has set, and keeps what it was asked.
private final class Reader: Sendable {
    let asked = Lock<[Set<Int>]>([])
    let gate = Gate()
    let failure = Lock<PostgresError?>(nil)

    @Sendable
    func read(_: Pool, _ keys: Set<Int>) async throws(PostgresError) -> [Int: String] {
        asked.withLock { $0.append(keys) }
        await gate.pass()
        if let failure = failure.value { throw failure }
        return Dictionary(
            uniqueKeysWithValues: keys.filter { $0 % 2 == 0 }.map { ($0, "v\($0)") })
    }
}

struct `Lookups of what strangers present` {
    @Test func `are gathered while one statement is under way`() async throws {
        let reader = Reader()
        let lookups = BatchedLookups(pool: try await TestDatabase.make().pool, read: reader.read)
        async let first = lookups.value(of: 0)
        await reader.gate.arrivals(1)
        let others = (1...150).map { key in Task { try await lookups.value(of: key % 140) } }
        try await waitUntil { await lookups.waitingCount == others.count }
        await reader.gate.open()
        #expect(try await first == "v0")
        for (index, other) in others.enumerated() {
            let key = (index + 1) % 140
            #expect(try await other.value == (key % 2 == 0 ? "v\(key)" : nil))
        }
        let sizes = reader.asked.value.map(\.count)
        #expect(sizes.count == 3)
        #expect(sizes.allSatisfy { $0 <= Limits.lookedUpAtOnceMax })
    }

    @Test func `do not end with the one who asked first`() async throws {
        let reader = Reader()
        let lookups = BatchedLookups(pool: try await TestDatabase.make().pool, read: reader.read)
        let first = Task { try await lookups.value(of: 2) }
        await reader.gate.arrivals(1)
        let second = Task { try await lookups.value(of: 4) }
        try await waitUntil { await lookups.waitingCount == 1 }
        first.cancel()
        await reader.gate.open()
        #expect(try await second.value == "v4")
    }

    @Test func `fail together, and the next are tried again`() async throws {
        let reader = Reader()
        let lookups = BatchedLookups(pool: try await TestDatabase.make().pool, read: reader.read)
        reader.failure.withLock { $0 = .closed }
        let first = Task { try await lookups.value(of: 2) }
        await reader.gate.arrivals(1)
        let second = Task { try await lookups.value(of: 4) }
        try await waitUntil { await lookups.waitingCount == 1 }
        await reader.gate.open()
        await #expect(throws: PostgresError.closed) { try await first.value }
        await #expect(throws: PostgresError.closed) { try await second.value }
        #expect(reader.asked.value.count == 1)
        reader.failure.withLock { $0 = nil }
        #expect(try await lookups.value(of: 4) == "v4")
    }
}
