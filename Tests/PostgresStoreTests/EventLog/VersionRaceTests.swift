import Domain
import EventStore
import Postgres
import PostgresStore
import TestSupport
import Testing

struct VersionRaceTests {
    /// The answer to one of the racing writers.
    private struct Answer: Sendable {
        var id: String
        var activity: String
        var expected: Int64?
        var outcome: AppendResult
    }

    private static let activities = 3
    private static let rounds: Int64 = 8
    private static let writersPerVersion = 60

    /// For every version of every activity, many writers who expect the one before it. Each id is
    /// reported twice, by writers of different nodes.
    private func race(_ nodes: [EventStore], _ tenant: TenantID) async throws -> [Answer] {
        try await withThrowingTaskGroup(of: Answer.self) { group in
            for writer in 0..<Self.writersPerVersion {
                for expected in 0..<Self.rounds {
                    for activity in 0..<Self.activities {
                        let id = "\(activity)/\(expected)/\(writer / 2)"
                        let name = "order-\(activity)"
                        group.addTask {
                            while true {
                                let outcome = try await nodes[writer % nodes.count].log.append(
                                    tenant, [Samples.event(id, name, expectedVersion: expected)])
                                // Too early: the activity is not there yet, so it tries again.
                                if case .versionConflict(let actual) = outcome[0],
                                    actual < expected
                                {
                                    continue
                                }
                                return Answer(
                                    id: id, activity: name, expected: expected,
                                    outcome: outcome[0])
                            }
                        }
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `of thousands who expect a version exactly one wins it`() async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("acme").id
        let nodes = [
            database.store, EventStore.postgres(pool: database.makePool()),
            EventStore.postgres(pool: database.makePool()),
        ]
        let answers = try await race(nodes, tenant)
        #expect(
            answers.count == Self.activities * Int(Self.rounds) * Self.writersPerVersion)
        let log = try await database.store.log.read(tenant, 0, 10_000)
        #expect(log.count == Self.activities * Int(Self.rounds))
        #expect(log.map(\.position) == Array(1...Int64(log.count)))

        var winners: [String: Int] = [:]
        for answer in answers {
            switch answer.outcome {
            case .recorded(let position, let version):
                #expect(version == (answer.expected ?? -1) + 1)
                #expect(log[Int(position) - 1].event.id == answer.id)
                winners["\(answer.activity) \(version)", default: 0] += 1
            case .alreadyKnown(let position, let version):
                #expect(log[Int(position) - 1].event.id == answer.id)
                #expect(log[Int(position) - 1].version == version)
            case .versionConflict(let actual):
                #expect(actual > (answer.expected ?? .max))
                #expect(!log.contains { $0.event.id == answer.id })
            case .contentConflict, .batchConflict, .notRecorded: Issue.record("\(answer)")
            }
        }
        #expect(winners.count == log.count && winners.values.allSatisfy { $0 == 1 })
    }

    @Test(.timeLimit(.minutes(5)))
    func `thousands of reports of few events record each once and are all answered`() async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("acme").id
        let nodes = [database.store, EventStore.postgres(pool: database.makePool())]
        let answers = try await withThrowingTaskGroup(of: (String, AppendResult).self) { group in
            for report in 0..<3_000 {
                // Batches overlap: event n comes in batches of n and of n - 1.
                let events = [report % 40, report % 40 + 1].map { number in
                    Samples.event("event-\(number)", "order-\(number % 4)")
                }
                group.addTask {
                    let outcomes = try await nodes[report % 2].log.append(tenant, events)
                    return (events[1].id, outcomes[1])
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let log = try await database.store.log.read(tenant, 0, 10_000)
        #expect(log.map(\.position) == Array(1...41))
        #expect(Set(log.map(\.event.id)).count == 41)
        for (id, outcome) in answers {
            let position = try #require(outcome.position)
            #expect(log[Int(position) - 1].event.id == id)
        }
        let recordings = answers.filter {
            if case .recorded = $0.1 { true } else { false }
        }
        #expect(Set(recordings.map(\.0)).count == recordings.count)
        #expect(recordings.count <= 41)
    }
}
