import Domain
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

struct `The store of policies` {
    private func document(_ number: Int) -> Data { Data(#"{"n":\#(number)}"#.utf8) }

    @Test func `numbers versions, says from where they hold, and knows the newest again`()
        async throws
    {
        let database = try await TestDatabase.make()
        let store = database.store
        let tenant = try await store.tenants.ensure("shop").id
        #expect(
            try await store.policies.put(tenant, "A", nil, document(1))
                == .done(version: 1, fromPosition: 1))
        _ = try await store.log.append(tenant, [Samples.event("1"), Samples.event("2")])
        #expect(
            try await store.policies.put(tenant, "A", nil, document(1))
                == .known(version: 1, fromPosition: 1))
        #expect(
            try await store.policies.put(tenant, "A", 1, document(2))
                == .done(version: 2, fromPosition: 3))
        #expect(
            try await store.policies.put(tenant, "B", 0, document(2))
                == .done(version: 1, fromPosition: 3))
        #expect(try await store.policies.put(tenant, "A", 1, document(3)) == .conflict)
        let all = try await store.policies.all(tenant)
        #expect(all.map(\.kind) == ["A", "A", "B"])
        #expect(all.map(\.version) == [1, 2, 1])
        #expect(all.map(\.fromPosition) == [1, 3, 3])
        #expect(all.map(\.document) == [document(1), document(2), document(2)])
    }

    @Test func `lets one of many who expect the same version win`() async throws {
        let database = try await TestDatabase.make()
        let store = database.store
        let tenant = try await store.tenants.ensure("shop").id
        let outcomes = try await withThrowingTaskGroup(of: PolicyPut.self) { group in
            for number in 0..<8 {
                group.addTask { try await store.policies.put(tenant, "A", 0, document(number)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == .done(version: 1, fromPosition: 1) } == 1)
        #expect(outcomes.count { $0 == .conflict } == 7)
    }

    /// The head's lock decides: whatever was recorded before has a lower position, and a reader of
    /// events from there on finds the policy.
    @Test func `never puts a policy in force for what was folded without it`() async throws {
        let database = try await TestDatabase.make()
        let store = database.store
        let tenant = try await store.tenants.ensure("shop").id
        let writer = Task {
            for number in 0..<60 {
                _ = try await store.log.append(tenant, [Samples.event("\(number)")])
            }
        }
        let putter = Task {
            for number in 1...20 {
                _ = try await store.policies.put(tenant, "A", nil, document(number))
            }
        }
        var folded = 0
        while folded < 60 {
            folded += try await store.projections.foldNext(nil, 7) { batch in
                for event in batch.events {
                    let inForce = batch.policies.all.filter { $0.fromPosition <= event.position }
                    // What is missing was put later, and so holds for later events only.
                    #expect(inForce.map(\.version) == Array(1..<(inForce.count + 1)))
                }
                #expect(batch.policies.epoch == batch.policies.all.count)
                return FoldOutcome(
                    snapshots: batch.events.map { Samples.snapshot($0) }.suffix(1),
                    decisions: batch.events.map { decision in
                        var decision = Samples.decision(decision)
                        decision.policyVersion =
                            batch.policies.all.last { $0.fromPosition <= decision.position }?
                            .version ?? 0
                        return decision
                    }, parked: [])
            }
        }
        try await writer.value
        try await putter.value
        let policies = try await store.policies.all(tenant)
        #expect(policies.count == 20)
        let rows = try await store.projections.decisions(
            tenant, ActivityID(rawValue: "order-1"), 0, 100)
        #expect(rows.count == 60)
        for row in rows {
            let expected =
                policies.last { $0.fromPosition <= row.decision.position }?.version ?? 0
            #expect(row.decision.policyVersion == expected, "position \(row.decision.position)")
        }
    }

    @Test(arguments: [
        "UPDATE policy SET document = '{}'", "DELETE FROM policy", "TRUNCATE policy",
    ])
    func `keeps what was in force`(sql: String) async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("shop").id
        _ = try await database.store.policies.put(tenant, "A", nil, document(1))
        await #expect(throws: PostgresError.self) { try await database.pool.query(sql) }
        #expect(try await database.store.policies.all(tenant).count == 1)
    }
}
