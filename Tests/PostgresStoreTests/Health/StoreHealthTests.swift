import Domain
import EventLoop
import EventStore
import Postgres
import PostgresStore
import TestSupport
import Testing

/// What a node knows of its calls, second by second.
struct `Calls of the store` {
    private let start = ContinuousClock.now
    private let away = EventStoreError.unavailable(detail: "gone")

    private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func `that fail for a while after they worked make a node unready, one does not`() {
        var calls = CallHistory()
        calls.note(nil, at: at(0))
        calls.note(away, at: at(10))
        #expect(calls.complaint(at: at(14.9)) == nil)
        #expect(calls.isInDoubt)
        calls.note(.failed(sqlState: "XX000", detail: "file"), at: at(15))
        #expect(calls.complaint(at: at(15.1)) == .failed(sqlState: "XX000", detail: "file"))
        calls.note(nil, at: at(16))
        #expect(calls.complaint(at: at(16)) == nil)
        #expect(!calls.isInDoubt)
    }

    @Test func `that fail between others that work leave it ready`() {
        var calls = CallHistory()
        for second in 0..<60 {
            calls.note(second % 3 == 0 ? nil : away, at: at(Double(second)))
            #expect(calls.complaint(at: at(Double(second))) == nil)
        }
    }

    @Test func `that never worked make it unready at once, and none that were not tried do`() {
        var calls = CallHistory()
        #expect(calls.complaint(at: at(100)) == nil && calls.isInDoubt)
        calls.noteProbe(away, at: at(100))
        #expect(calls.complaint(at: at(100)) == away)
    }

    @Test func `that were tried only to find out count for readiness, not for figures`() {
        var calls = CallHistory()
        calls.note(nil, at: at(0))
        for second in 1...9 { calls.note(away, at: at(Double(second))) }
        #expect(calls.complaint(at: at(9)) == away)
        calls.noteProbe(nil, at: at(10))
        #expect(calls.complaint(at: at(10)) == nil)
        #expect(calls.counts == [.ok: 1, .unavailable: 9])
    }

    @Test func `of the log before say nothing of the one that came in its place`() {
        let health = StoreHealth()
        health.ended(.append, nil)
        health.ended(.send, away)
        #expect(health.complaint(about: .send) == away)
        health.beginAgain()
        // Nobody sends while a log is held.
        #expect(health.complaint(about: .send) == nil)
        #expect(health.history(of: .send).lastFailure == nil)
        #expect(health.history(of: .append).isInDoubt)
        #expect(health.history(of: .send).counts == [.unavailable: 1], "figures go on")
    }

    @Test func `that are refused because a newer program folds are kept in mind until one folds`()
        async throws
    {
        let database = try await TestDatabase.make()
        let health = StoreHealth()
        let store = database.store.observed(by: [health])
        let tenant = try await store.tenants.ensure("shop").id
        _ = try await store.log.append(tenant, [Samples.event("1")])
        await #expect(throws: EventStoreError.oldProgram) {
            _ = try await store.projections.foldNext(tenant, 100) { _ in
                var outcome = FoldResult(snapshots: [], decisions: [], parked: [])
                outcome.needsNewerProgram = true
                return outcome
            }
        }
        #expect(health.foldRefusal == .oldProgram)
        #expect(health.complaint(about: .fold) == nil, "the node stays in service")
        #expect(health.history(of: .fold).counts == [.refused: 1])
        try await store.probe.fold()
        health.noteProbe(.fold, nil)
        #expect(health.foldRefusal == .oldProgram, "a probe folds nothing")
        try await Samples.foldAll(store)
        #expect(health.foldRefusal == nil)
    }

    @Test func `that this node had no room for say nothing of the database`() {
        var calls = CallHistory()
        calls.note(.overloaded(detail: "full"), at: at(0))
        #expect(calls.complaint(at: at(60)) == nil)
        #expect(calls.counts == [.overloaded: 1])
    }

    @Test func `are noted by kind, and a caller's own mistakes are no failures`() async throws {
        let database = try await TestDatabase.make()
        let health = StoreHealth()
        let store = database.store.observed(by: [health])
        let tenant = try await store.tenants.ensure("shop").id
        var event = Samples.event("1")
        _ = try await store.log.append(tenant, [event])
        event.expectedVersion = 7
        event.id = "2"
        let outcomes = try await store.log.append(tenant, [event])
        #expect(outcomes == [.versionConflict(actual: 1)])
        #expect(health.history(of: .append).counts == [.ok: 2])
        _ = try await store.deliveries.claimNext(1, .all, nil)
        #expect(health.history(of: .send).counts == [.ok: 1])
        #expect(health.hasWorked(withinSeconds: 5))
        #expect(health.history(of: .fold).isInDoubt)
        _ = try await database.pool.query("ALTER TABLE event RENAME TO gone")
        await #expect(throws: EventStoreError.self) {
            _ = try await store.log.append(tenant, [Samples.event("3")])
        }
        #expect(health.history(of: .append).lastFailure != nil)
        #expect(health.complaint(about: .append) == nil, "one failure is no reason")
    }
}

/// Probes on a real Postgres.
struct `A probe of the store` {
    @Test(arguments: [true, false])
    func `leaves nothing behind, no matter who asks`(entersTenantRole: Bool) async throws {
        let database = try await TestDatabase.makeForOrdinaryUser(
            entersTenantRole: entersTenantRole)
        let tenant = try await database.store.tenants.ensure("shop")
        _ = try await database.store.log.append(tenant.id, [Samples.event("1")])
        try await database.store.probe.append()
        try await database.store.probe.fold()
        let tenants = try await database.store.tenants.all()
        #expect(tenants == [tenant])
        for table in ["event", "log_head"] {
            let rows = try await database.pool.query("SELECT count(*) FROM \(table)")
            #expect(try rows.first?.get(0) == Int64(1), "\(table)")
        }
        #expect(try await database.store.projections.checkpoint(tenant.id) == 0)
    }

    /// Such a probe had a node stay ready while each real append failed.
    @Test func `fails on a full disk, though it finds room for one event`() async throws {
        let database = try await TestDatabase.make()
        let pool = try await database.makePoolWithoutRoom()
        let store = EventStore.postgres(pool: pool)
        let tenant = try await store.tenants.ensure("shop").id
        _ = try await store.log.append(tenant, [Samples.event("1")])
        let error = await #expect(throws: EventStoreError.self) { try await store.probe.append() }
        #expect(error?.sqlState?.hasPrefix("53") == true, "\(String(describing: error))")
        await pool.close()
    }

    @Test func `fails while appends would, and works when they do again`() async throws {
        let database = try await TestDatabase.make()
        let health = StoreHealth()
        let diagnostics = Lock<[HealthWatch.Diagnostic]>([])
        let watch = HealthWatch(
            store: database.store, health: health, calls: [.append]
        ) { diagnostic in diagnostics.withLock { $0.append(diagnostic) } }
        _ = try await database.pool.query(
            "ALTER FUNCTION append_plainly RENAME TO append_not_at_all")
        await watch.look()
        #expect(health.complaint(about: .append) != nil)
        _ = try await database.pool.query(
            "ALTER FUNCTION append_not_at_all RENAME TO append_plainly")
        try await waitUntil {
            await watch.look()
            return health.complaint(about: .append) == nil
        }
        let told = diagnostics.value
        #expect(told.count == 2)
        #expect(told.last == .works(.append))
        let tenants = try await database.store.tenants.all()
        #expect(tenants.isEmpty)
    }
}
