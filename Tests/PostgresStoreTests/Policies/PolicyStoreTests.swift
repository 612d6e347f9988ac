import Domain
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

struct `The store of policies` {
    private func document(_ number: Int) -> Data { Data(#"{"n":\#(number)}"#.utf8) }

    @Test func `numbers versions, says from where they are in force, and knows the newest again`()
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
        let all = try await store.policies.inForce(tenant, 1 ... .max)
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
            let batch = try await store.projections.foldNext(nil, 7) { batch in
                // What is missing was over before, or was put later and is for later events.
                #expect(batch.policies.since <= batch.events[0].position)
                return FoldResult(
                    snapshots: batch.events.map { Samples.snapshot($0) }.suffix(1),
                    decisions: batch.events.map { decision in
                        var decision = Samples.decision(decision)
                        decision.policyVersion =
                            batch.policies.all.last { $0.fromPosition <= decision.position }?
                            .version ?? 0
                        return decision
                    }, parked: [])
            }
            folded += batch?.count ?? 0
        }
        try await writer.value
        try await putter.value
        let policies = try await store.policies.inForce(tenant, 1 ... .max)
        #expect(policies.last?.version == 20)
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
        #expect(try await database.store.policies.newest(tenant).count == 1)
    }

    @Test func `gives of many versions those that events are judged by`() async throws {
        let database = try await TestDatabase.make()
        let store = database.store
        let tenant = try await store.tenants.ensure("shop").id
        // Versions 1 and 2 from the first event on, then one more with each.
        _ = try await store.policies.put(tenant, "A", nil, document(1))
        for number in 2...6 {
            _ = try await store.policies.put(tenant, "A", nil, document(number))
            _ = try await store.log.append(tenant, [Samples.event("\(number)")])
        }
        func inForce(_ positions: ClosedRange<Int64>) async throws -> [Int] {
            try await store.policies.inForce(tenant, positions).map(\.version)
        }
        #expect(try await inForce(1 ... .max) == [2, 3, 4, 5, 6])
        #expect(try await inForce(2...3) == [3, 4])
        #expect(try await inForce(5 ... .max) == [6])
        #expect(try await store.policies.newest(tenant).map(\.version) == [6])
        #expect(try await store.policies.newest(store.tenants.ensure("other").id) == [])
    }

    @Test func `keeps so many bytes of a tenant, of which a small one counts as four thousand`()
        async throws
    {
        let database = try await TestDatabase.make()
        let store = database.store
        let tenant = try await store.tenants.ensure("shop").id
        let large = Data(#"{"n":"\#(String(repeating: "x", count: 9_992))"}"#.utf8)
        #expect(large.count == 10_000)
        func put(_ document: Data, within bytes: Int) async throws -> PolicyPut {
            try await store.policies.put(tenant, "A", nil, document, bytes)
        }
        #expect(try await put(document(1), within: 4_095) == .full)
        #expect(
            try await put(document(1), within: 4_096) == .done(version: 1, fromPosition: 1))
        #expect(try await put(large, within: 14_095) == .full)
        #expect(try await put(large, within: 14_096) == .done(version: 2, fromPosition: 1))
        #expect(try await put(large, within: 0) == .known(version: 2, fromPosition: 1))
        #expect(try await store.policies.put(tenant, "B", nil, document(1), 14_096) == .full)
        // Another tenant has room of its own.
        let other = try await store.tenants.ensure("other").id
        #expect(
            try await store.policies.put(other, "A", nil, document(1), 4_096)
                == .done(version: 1, fromPosition: 1))
    }

    @Test func `lets many who put at a time have no more than there is room for`() async throws {
        let database = try await TestDatabase.make()
        let store = database.store
        let tenant = try await store.tenants.ensure("shop").id
        let outcomes = try await withThrowingTaskGroup(of: PolicyPut.self) { group in
            for number in 0..<8 {
                group.addTask {
                    try await store.policies.put(tenant, "A", nil, document(number), 3 * 4_096)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == .full } == 5)
        #expect(try await store.policies.versions(tenant, "A", 9, 9).count == 3)
    }

    @Test func `lists as many versions as fit into an answer, and the newest however large`()
        async throws
    {
        let database = try await TestDatabase.make()
        let store = database.store
        let tenant = try await store.tenants.ensure("shop").id
        for number in 1...5 {
            let text = String(repeating: "\(number)", count: 400_000)
            _ = try await store.policies.put(tenant, "A", nil, Data(#"{"n":"\#(text)"}"#.utf8))
        }
        func versions(_ newest: Int, _ limit: Int) async throws -> [Int] {
            try await store.policies.versions(tenant, "A", newest, limit).map(\.version)
        }
        #expect(try await versions(.max, 100) == [5, 4, 3])
        #expect(try await versions(4, 1) == [4])
        #expect(try await versions(.max, 1) == [5])
    }
}
