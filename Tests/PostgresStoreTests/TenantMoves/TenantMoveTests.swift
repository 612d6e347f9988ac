import Domain
import EventLoop
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

@Suite(.timeLimit(.minutes(4)))
struct `Moving a tenant to another cell` {
    @Test(arguments: DatabaseUser.allCases)
    func `takes along every row of every table with tenants' rows`(user: DatabaseUser) async throws
    {
        let scene = try await TenantMoveScene.make(user)
        let before = try await scene.rows(scene.here)
        let others = try await scene.here.contents(of: scene.other)
        for line in before { #expect(!line.hasSuffix(": "), "nothing to forget in \(line)") }
        let report = try await scene.move()
        #expect(report.cell == "eu2")
        #expect(report.rows >= Int64(before.count))
        #expect(try await scene.rows(scene.there) == before)
        #expect(
            try await scene.tables(scene.here)
                == ["departed_tenant", "departed_key", "removed_tenant"])
        #expect(try await scene.here.contents(of: scene.other) == others)
        #expect(try await scene.open() == ["there"])
        let watching = try await scene.here.pool.query(
            "SELECT FROM pg_trigger WHERE tgname LIKE 'move\\_%'")
        #expect(watching.isEmpty)
        let name = try await scene.there.store.tenants.all().map(\.name)
        #expect(name == ["mine"])
    }

    @Test func `keeps ids of the tenant's rows apart from those that are made afterwards`()
        async throws
    {
        let scene = try await TenantMoveScene.make()
        _ = try await scene.here.pool.query(
            "ALTER TABLE registration ALTER COLUMN id RESTART WITH 5000")
        let activity = ActivityID(rawValue: "order-9")
        let old = try await scene.here.store.registrations.register(
            scene.tenant, activity, Samples.token("8"), .sandbox, "com.example")
        _ = try await scene.move()
        let new = try await scene.there.store.registrations.register(
            scene.tenant, activity, Samples.token("9"), .sandbox, "com.example")
        #expect(new.id > old.id)
        let key = try #require(
            try await scene.there.store.tenants.createKey(
                NewAPIKey(
                    tenant: scene.tenant, sha256: [UInt8](repeating: 9, count: 32),
                    scopes: [.admin])))
        #expect(key % 64 == 2)
        #expect(key > 1_000_000_000)
        let stranger = try await scene.there.store.tenants.ensure("new there").id.rawValue
        #expect(stranger % 64 == 2)
        #expect(stranger > 1_000_000)
        #expect(try await scene.here.store.tenants.ensure("new here").id.rawValue % 64 == 1)
    }

    @Test func `there and back, it is what it was, and its log goes on`() async throws {
        let scene = try await TenantMoveScene.make()
        let before = try await scene.rows(scene.here)
        let head = try await scene.here.store.log.head(scene.tenant)
        _ = try await scene.move()
        _ = try await scene.move(back: true)
        #expect(try await scene.rows(scene.here) == before)
        #expect(try await scene.open() == ["here"])
        let outcomes = try await scene.here.store.log.append(
            scene.tenant, [Samples.event("later")])
        #expect(outcomes.first?.position == head + 1)
        try await Samples.foldAll(scene.here.store)
        let key = [UInt8](repeating: UInt8(1), count: 32)
        #expect(try await scene.here.store.tenants.departure(ofKey: key) == nil)
        #expect(try await scene.there.store.tenants.departure(ofKey: key)?.name == "eu1")
    }

    @Test func `while it is written to, nothing is lost, doubled or reordered`() async throws {
        let scene = try await TenantMoveScene.make()
        let isOver = Lock(false)
        let before = try await scene.here.store.log.head(scene.tenant)
        let writer = Task {
            try await Writer(scene: scene).write(until: { isOver.withLock { $0 } })
        }
        try await waitUntil { try await scene.here.store.log.head(scene.tenant) > before + 20 }
        let report = try await scene.move()
        let moved = try await scene.there.store.log.head(scene.tenant)
        try await waitUntil { try await scene.there.store.log.head(scene.tenant) > moved + 20 }
        isOver.withLock { $0 = true }
        let written = try await writer.value
        #expect(report.caughtUp > 0)
        let events = try await scene.there.store.log.read(scene.tenant, 0, 100_000)
        #expect(events.map(\.position) == Array(1...Int64(events.count)))
        let own = events.map(\.event.id).filter { $0.hasPrefix("w") }
        #expect(own == written)
        let versions = Dictionary(grouping: events, by: \.event.activityID)
            .mapValues { $0.map(\.version) }
        for found in versions.values { #expect(found == Array(1...Int64(found.count))) }
        #expect(report.fencedMillis < 20_000)
    }

    @Test func `while phones register, each of them arrives with its token`() async throws {
        let scene = try await TenantMoveScene.make()
        let (before, isOver) = (try await scene.phones(scene.here), Lock(false))
        let registering = Task {
            var registered = before
            while !isOver.withLock({ $0 }), try await scene.register("phone-\(registered)") {
                registered += 1
            }
            return registered
        }
        try await waitUntil { try await scene.phones(scene.here) > before }
        let report = try await scene.move()
        isOver.withLock { $0 = true }
        #expect(report.caughtUp > 0)
        #expect(try await scene.phones(scene.there) == registering.value)
    }

    /// The fresh card cannot be put beside the old one that was copied, so changes are taken along
    /// in the middle. The phone of the token among them is copied later.
    @Test func `while cards are rotated, no token comes before its phone`() async throws {
        let scene = try await TenantMoveScene.make()
        try await scene.putCards(5_000)
        #expect(try await scene.register("phone-1"))
        let isOver = Lock(false)
        let rotating = Task {
            // The card that is rotated is on the first page then, and the fresh one on the last.
            try await waitUntil {
                try await !scene.there.pool.query("SELECT FROM registration LIMIT 1").isEmpty
            }
            var rotations = 0
            while !isOver.withLock({ $0 }), try await scene.rotateCard(to: "r\(rotations)"),
                try await scene.register("phone-1", with: "token \(rotations)")
            {
                rotations += 1
            }
            return rotations
        }
        let report = try await scene.move()
        isOver.withLock { $0 = true }
        #expect(try await rotating.value > 0)
        #expect(report.caughtUp > 0)
        #expect(try await scene.phones(scene.there) == 2)
    }

    @Test func `takes along what is erased, removed and replaced after it was copied`()
        async throws
    {
        let scene = try await TenantMoveScene.make()
        let tenant = scene.tenant.rawValue
        for number in 1...2 {
            _ = try await scene.here.pool.query(
                """
                INSERT INTO registration (
                    tenant, activity_id, push_token, environment, bundle_id, installation,
                    closed_at, closed_by
                ) VALUES (\(tenant), 'order-7', 'p\(number)', 'sandbox', 'b', 'i',
                    \(number == 1 ? "NULL, NULL" : "now(), 'app'"))
                """)
        }
        _ = try await scene.move(copied: [
            "UPDATE subject_key SET erased_at = now(), key = NULL WHERE tenant = \(tenant)",
            """
            UPDATE event SET data = '{"of": "erased-1"}' WHERE tenant = \(tenant) AND position = 1
            """,
            "DELETE FROM channel_listener WHERE tenant = \(tenant)",
            """
            UPDATE registration SET closed_at = now(), closed_by = 'app'
            WHERE tenant = \(tenant) AND push_token = 'p1'
            """,
            """
            UPDATE registration SET closed_at = NULL, closed_by = NULL
            WHERE tenant = \(tenant) AND push_token = 'p2'
            """,
            "DELETE FROM webhook WHERE tenant = \(tenant)",
        ])
        let (rows, tables) = (
            try await scene.rows(scene.there), try await scene.tables(scene.there)
        )
        #expect(rows.contains { $0.hasPrefix("event: ") && $0.contains("erased-1") })
        #expect(tables.isDisjoint(with: ["channel_listener", "webhook", "webhook_secret"]))
        let open = try await scene.there.pool.query(
            "SELECT push_token FROM registration WHERE installation = 'i' AND closed_at IS NULL")
        #expect(try open.map { try $0.text(0) } == ["p2"])
    }

    @Test(arguments: TenantMove.Step.allCases)
    func `that is killed goes on from there, and no two cells work for it`(
        step: TenantMove.Step
    ) async throws {
        let scene = try await TenantMoveScene.make()
        let before = try await scene.rows(scene.here)
        let why = await scene.refusal { _ = try await scene.move(killedAt: step) }
        #expect(why?.hasPrefix("killed at \(step)") == true, "\(why ?? "")")
        #expect(try await scene.open().count <= 1)
        if ![.left, .opened, .cleared].contains(step) {
            #expect(try await scene.rows(scene.here) == before)
            _ = try await scene.here.store.log.append(scene.tenant, [Samples.event("between")])
        }
        let expected =
            [.left, .opened, .cleared].contains(step) ? before : try await scene.rows(scene.here)
        if step != .cleared { _ = try await scene.move() }
        #expect(try await scene.rows(scene.there) == expected)
        #expect(try await scene.open() == ["there"])
        #expect(
            try await scene.tables(scene.here)
                == ["departed_tenant", "departed_key", "removed_tenant"])
    }

    @Test(arguments: TenantMove.Step.allCases)
    func `is cancelled as long as the tenant has not left`(step: TenantMove.Step) async throws {
        let scene = try await TenantMoveScene.make()
        let before = try await scene.here.contents(of: scene.tenant)
        _ = await scene.refusal { _ = try await scene.move(killedAt: step) }
        let why = await scene.refusal { try await scene.cancel() }
        guard ![.left, .opened, .cleared].contains(step) else {
            #expect(why?.contains(step == .cleared ? "is not moving" : "has left for") == true)
            return
        }
        #expect(why == nil)
        #expect(try await scene.here.contents(of: scene.tenant) == before)
        #expect(try await scene.tables(scene.there).isEmpty)
        _ = try await scene.here.store.log.append(scene.tenant, [Samples.event("afterwards")])
        _ = try await scene.move()
        #expect(try await scene.open() == ["there"])
    }

    @Test func `waits for what is being sent, and lets its results be written down`() async throws {
        let scene = try await TenantMoveScene.make()
        let now = Samples.time.adding(seconds: 100)
        _ = try await scene.here.store.log.append(scene.tenant, [Samples.event("new")])
        try await Samples.foldAll(scene.here.store)
        let claims = try await scene.here.store.deliveries.claimNext(10, .all, now)
        let claim = try #require(claims.first { $0.tenant == scene.tenant })
        for other in claims where other.tenant != scene.tenant {
            await scene.here.store.deliveries.release(other)
        }
        let move = Task { try await scene.move() }
        try await waitUntil {
            try await !scene.here.pool.query(
                "SELECT FROM tenant_move WHERE closed_until > now()"
            ).isEmpty
        }
        // Nobody claims anything more, and what was claimed goes on.
        let later = now.adding(seconds: 100)
        let more = try await scene.here.store.deliveries.claimNext(10, .all, later)
        #expect(!more.contains { $0.tenant == scene.tenant })
        for other in more { await scene.here.store.deliveries.release(other) }
        try await scene.here.store.deliveries.complete(
            claim,
            LedgerRow.Outcome(
                carriedBy: claim.completesUpTo, timestamp: claim.timestamp, accepted: 1, failed: 0,
                completedAt: now))
        _ = try await move.value
        let ledger = try await scene.there.store.projections.decisions(
            scene.tenant, claim.snapshot.activityID, 0, 100)
        #expect(ledger.last?.outcome?.accepted == 1)
        let again = try await scene.there.store.deliveries.claimNext(10, .all, later)
        #expect(!again.contains { !$0.pending.isEmpty })
        for other in again { await scene.there.store.deliveries.release(other) }
    }

    @Test func `refuses what cannot be moved, and says what to do`() async throws {
        let scene = try await TenantMoveScene.make()
        func refusal(_ name: String, to target: TestDatabase? = nil) async -> String? {
            await scene.refusal {
                _ = try await TenantMove(from: scene.here.pool, to: (target ?? scene.there).pool)
                    .run(name)
            }
        }
        #expect(await refusal("mine", to: scene.here)?.contains("the same database") == true)
        let unnamed = try await TestDatabase.make()
        #expect(await refusal("mine", to: unnamed)?.contains("islet cells set") == true)
        let older = try await TestDatabase.make()
        _ = try await older.pool.query("ALTER TABLE registration ADD COLUMN newer text")
        #expect(await refusal("mine", to: older)?.contains("islet migrate") == true)
        let unnumbered = try await TestDatabase.make()
        try await unnumbered.store.tenants.setCell(Cell(name: "eu3", isHere: true))
        _ = try await unnumbered.store.tenants.ensure("stranger")
        #expect(await refusal("mine", to: unnumbered)?.contains("with the id") == true)
        _ = try await scene.move()
        #expect(await refusal("mine")?.contains("in cell eu2 already") == true)
        let why = await scene.refusal { _ = try await scene.here.store.tenants.ensure("mine") }
        #expect(why?.contains("has moved to cell eu2") == true)
    }

    @Test func `tells followers of another epoch where to go on`() async throws {
        let scene = try await TenantMoveScene.make()
        let store = scene.there.store
        let epoch = try #require(
            try await store.identity.accept(LogAcceptance(isComplete: false, aheadSeconds: 0)))
        #expect(epoch > 2)
        _ = try await scene.move()
        let head = try await store.log.head(scene.tenant)
        #expect(try await store.identity.kept(scene.tenant, 1) != nil)
        #expect(try await store.identity.kept(scene.tenant, 2) == head)
        _ = try await scene.move(back: true)
        #expect(try await scene.here.store.identity.look().epoch == epoch)
    }
}

/// Records events one after the other in whichever cell has the tenant, and says again what was not
/// recorded.
private struct Writer: Sendable {
    let scene: TenantMoveScene

    func write(until isOver: @Sendable () -> Bool) async throws -> [String] {
        var written: [String] = []
        var store = scene.here.store
        while !isOver() {
            let event = Samples.event("w\(written.count)", "order-\(written.count % 5)")
            do {
                let outcome = try await store.log.append(scene.tenant, [event])[0]
                #expect(outcome.position != nil)
                written.append(event.id)
                if written.count % 4 == 0 { try await Samples.foldAll(store) }
                // Who writes faster than rows can be copied cannot be moved.
                try await Task.sleep(for: .milliseconds(5))
            } catch EventStoreError.moving {
                let key = [UInt8](repeating: 1, count: 32)
                if try await scene.here.store.tenants.departure(ofKey: key) != nil {
                    store = scene.there.store
                }
                try await Task.sleep(for: .milliseconds(5))
            } catch let error as EventStoreError {
                // Its head is cleared here, or not there yet.
                guard case .failed("23503", _) = error else { throw error }
                store = scene.there.store
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        return written
    }
}
