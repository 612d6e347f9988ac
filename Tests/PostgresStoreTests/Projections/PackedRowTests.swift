import Domain
import EventLoop
import EventStore
import Foundation
import Postgres
import StoreTestSupport
import TestSupport
import Testing

@testable import PostgresStore

/// What the ledger and snapshots keep packed.
struct `Packed rows` {
    @Test func `say what was written, and so do rows of before they were packed`() async throws {
        let database = try await TestDatabase.make()
        let store = database.store
        let tenant = try await store.tenants.ensure("shop").id
        _ = try await store.log.append(tenant, [Samples.event("1"), Samples.event("2")])
        let written = try await folded(store, tenant)
        for round in ["packed", "plain"] {
            let order = ActivityID(rawValue: "order-1")
            let found = try await store.projections.decisions(tenant, order, 0, 10)
            #expect(found.map(\.decision) == written.decisions, "\(round)")
            let snapshot = try await store.projections.snapshot(tenant, order)
            #expect(snapshot == written.snapshots.last, "\(round)")
            try await database.unpack()
        }
    }

    private func folded(_ store: EventStore, _ tenant: TenantID) async throws -> FoldResult {
        _ = try await store.projections.foldNext(nil, 10) { batch in
            var snapshot = Samples.snapshot(batch.events[1])
            snapshot.dispatch = Data(#"{"hasEnded":false}"#.utf8)
            let decisions = batch.events.map { event in
                var decision = Samples.decision(event)
                decision.verdict = .alert
                decision.alert = Alert(
                    title: "Neu — „a\"b“", body: "Zwei\nZeilen", sound: "default")
                decision.significance = Significance.none
                decision.relevanceScore = 0.1
                decision.staleAt = decision.decidedAt.adding(seconds: -3)
                decision.order = PushOrder(
                    isImmediate: true, sendAfter: decision.decidedAt.adding(seconds: 9))
                return decision
            }
            let outcome = FoldResult(snapshots: [snapshot], decisions: decisions, parked: [])
            lock.withLock { $0 = outcome }
            return outcome
        }
        return try #require(lock.withLock { $0 })
    }

    private let lock = Lock<FoldResult?>(nil)

    @Test func `of the first dictionary are read as well`() async throws {
        let database = try await TestDatabase.make()
        let row = try #require(
            try await database.pool.query(
                "SELECT '\\x"
                    + "012350e93324e6009b070ce84d19fab563486cc430506dc08a01332f985b5858"
                    + "1a5a98001b8470167a5e704c4954f0c92f031a968ca30bcd40707810d7d020ce"
                    + "61415c4382d449220c46a67a060c00"
                    + "'::bytea"
            ).first)
        let texts = try PackedTexts.Unpacked(row, 0, count: 8)
        let all = (0..<8).map { index in texts[index].map { String(decoding: $0, as: UTF8.self) } }
        #expect(all.first == "The order has ended: delivered.")
        #expect(all[7] == nil)
        #expect(all[2]?.contains("Bestellung 1 ist da.") == true)
    }

    @Test func `end their wait with the decision that is deleted`() async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("shop").id
        _ = try await database.store.log.append(tenant, [Samples.event("1"), Samples.event("2")])
        _ = try await folded(database.store, tenant)
        func pending() async throws -> Int64? {
            try await database.pool.query("SELECT count(*) FROM pending_decision").first?.get(0)
        }
        #expect(try await pending() == 2)
        _ = try await database.pool.query("DELETE FROM decision WHERE version = 1")
        #expect(try await pending() == 1)
    }
}
