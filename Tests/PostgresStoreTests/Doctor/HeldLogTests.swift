import Domain
import EventStore
import Foundation
import PostgresStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `A database that is held` {
    private func outcome(_ database: TestDatabase) async throws -> DoctorCheck.Outcome {
        let scene = DoctorScene(
            pool: database.pool, visitors: nil, hosts: [], nodes: 1,
            connectionsPerNode: .init(service: 40, visitor: 0), lagSecondsMax: 30,
            now: { Moment(unixSeconds: Int64(Date().timeIntervalSince1970)) })
        let reports = await Doctor.look(at: scene)
        return try #require(reports.first { $0.name == "log" }).outcome
    }

    @Test func `is found by the doctor, with the words of the restore commands`() async throws {
        let database = try await TestDatabase.make()
        #expect(try await outcome(database) == .fine("epoch 1, not held"))
        try await database.store.identity.hold(.asked)
        guard case .findings(let findings) = try await outcome(database) else {
            Issue.record("the hold goes unnoticed")
            return
        }
        #expect(findings.count == 1)
        #expect(findings[0].what.contains(LogExplanation.why(.asked)))
        #expect(findings[0].remedy == LogExplanation.remedy)
    }
}
