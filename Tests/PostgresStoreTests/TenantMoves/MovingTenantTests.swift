import Domain
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

@Suite(.timeLimit(.minutes(2)))
struct `A tenant on its way between two cells` {
    private static let key = [UInt8](repeating: 1, count: 32)

    @Test func `is not delayed by figures that were written down after it had left`()
        async throws
    {
        let scene = try await TenantMoveScene.make()
        _ = try await scene.move()
        let minute = Moment(unixSeconds: 1_800_000_000)
        let rows = [scene.tenant, scene.other].map {
            SeriesRow(tenant: $0, minute: minute, counts: SeriesCounts(["events": 3]))
        }
        try await scene.here.store.series.add(rows)
        #expect(try await scene.here.store.series.read(scene.other, minute, 60) == [rows[1]])
        #expect(
            try await scene.tables(scene.here)
                == ["departed_tenant", "departed_key", "removed_tenant"])
        // What an earlier version has left.
        try await Self.putFigure(of: scene.tenant, in: scene.here)
        let before = try await scene.rows(scene.there)
        _ = try await scene.move(back: true)
        #expect(try await scene.rows(scene.here) == before)
        #expect(try await scene.open() == ["here"])
    }

    @Test(arguments: [TenantMove.Step.arriving, .caughtUp, .verified], [false, true])
    func `has a move that says which cell's database it lost`(
        step: TenantMove.Step, isOther: Bool
    ) async throws {
        let scene = try await TenantMoveScene.make()
        let lost = isOther ? scene.there : scene.here
        let failure = await #expect(throws: TenantMove.Failure.self) {
            _ = try await TenantMove(
                from: scene.here.pool, to: scene.there.pool,
                reached: { (reached) async throws(TenantMove.Failure) in
                    guard reached == step else { return }
                    _ = try await asking(
                        try await lost.pool.query(
                            """
                            SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                            WHERE datname = current_database() AND pid <> pg_backend_pid()
                                AND backend_type = 'client backend'
                            """))
                }
            ).run(TenantMoveScene.name)
        }
        switch failure {
        case .unfinished(.otherStore): #expect(isOther)
        case .unfinished(.store): #expect(!isOther)
        default: Issue.record("\(String(describing: failure))")
        }
    }

    @Test func `is moving still when its move breaks off, which is no way on if its rows differ`()
        async throws
    {
        let scene = try await TenantMoveScene.make()
        let killed = await #expect(throws: TenantMove.Failure.self) {
            _ = try await scene.move(killedAt: .copied)
        }
        guard case .unfinished(.refused("killed at copied")) = killed else {
            Issue.record("it is not said that the move is not over: \(String(describing: killed))")
            return
        }
        let tenant = scene.tenant
        let differing = await #expect(throws: TenantMove.Failure.self) {
            _ = try await TenantMove(
                from: scene.here.pool, to: scene.there.pool,
                reached: { (step) async throws(TenantMove.Failure) in
                    guard step == .caughtUp else { return }
                    try await asking(try await Self.putFigure(of: tenant, in: scene.there))
                }
            ).run(TenantMoveScene.name)
        }
        guard case .stuck(let why) = differing else {
            Issue.record("going on would help: \(String(describing: differing))")
            return
        }
        #expect(why.contains("series_minute is not the same on both sides"))
        #expect(why.contains("End this move with --cancel"), "\(why)")
        try await scene.cancel()
        _ = try await scene.move()
        #expect(try await scene.open() == ["there"])
    }

    @Test func `has its callers wait until the other cell has it`() async throws {
        let scene = try await TenantMoveScene.make()
        _ = await scene.refusal { _ = try await scene.move(killedAt: .left) }
        #expect(await waiting(in: scene.here.store, scene.tenant) == ["key", "ticket"])
        // Where it has been before, and is not yet: there they are sent to where it comes from.
        _ = try await scene.move()
        #expect(await waiting(in: scene.here.store, scene.tenant) == [])
        #expect(try await scene.here.store.tenants.departure(ofKey: Self.key)?.name == "eu2")
        _ = await scene.refusal { _ = try await scene.move(killedAt: .left, back: true) }
        #expect(await waiting(in: scene.there.store, scene.tenant) == ["key", "ticket"])
        #expect(try await scene.here.store.tenants.departure(ofKey: Self.key)?.name == "eu2")
        _ = await scene.refusal { _ = try await scene.move(killedAt: .cleared, back: true) }
        #expect(await waiting(in: scene.there.store, scene.tenant) == [])
        #expect(try await scene.there.store.tenants.departure(ofKey: Self.key)?.name == "eu1")
        #expect(try await scene.here.store.tenants.departure(ofKey: Self.key) == nil)
    }

    @Test func `is answered for by its new cell as soon as that has it`() async throws {
        let scene = try await TenantMoveScene.make()
        _ = await scene.refusal { _ = try await scene.move(killedAt: .opened) }
        #expect(await waiting(in: scene.here.store, scene.tenant) == [])
        #expect(try await scene.here.store.tenants.departure(ofKey: Self.key)?.name == "eu2")
        let gone = try #require(try await scene.here.store.tenants.moves().first)
        #expect(gone.state == .gone && gone.isOpen)
        #expect(try await scene.there.store.tenants.moves() == [])
    }

    @Test func `is not removed here if its new cell was set back to before the move`()
        async throws
    {
        let scene = try await TenantMoveScene.make()
        _ = await scene.refusal { _ = try await scene.move(killedAt: .left) }
        let left = try await scene.rows(scene.here)
        while try await scene.there.pool.query(
            "SELECT clear_moved($1, 1000)", [.tenant(scene.tenant)]
        )
        .first?.get(0) ?? Int64(0) > 0 {}
        _ = try await scene.there.pool.query("DELETE FROM tenant_move")
        let why = await scene.refusal { _ = try await scene.move() }
        #expect(why?.hasPrefix("the database of cell eu2 has lost tenant") == true, "\(why ?? "")")
        #expect(try await scene.rows(scene.here) == left)
    }

    @Test func `is not removed here if its new cell was set back to amid the move`() async throws {
        let scene = try await TenantMoveScene.make()
        _ = await scene.refusal { _ = try await scene.move(killedAt: .left) }
        let left = try await scene.rows(scene.here)
        _ = try await scene.here.pool.query("UPDATE tenant_move SET opened_at = now()")
        let why = await scene.refusal { _ = try await scene.move() }
        #expect(why?.hasPrefix("the database of cell eu2 has lost tenant") == true, "\(why ?? "")")
        #expect(try await scene.rows(scene.here) == left)
        #expect(try await scene.open() == [])
    }

    /// Its pending decisions, webhooks and keys are in the other database alone by then.
    @Test(arguments: [
        // While it was copied, or between an earlier try to leave and the one that succeeded.
        "arrived - '(all)'", #"arrived || '{"(all)": "of an earlier try"}'"#,
    ])
    func `is not opened in part if its new cell was set back to before it had left`(
        arrived: String
    ) async throws {
        let scene = try await TenantMoveScene.make()
        _ = await scene.refusal { _ = try await scene.move(killedAt: .verified) }
        _ = await scene.refusal { _ = try await scene.move(killedAt: .left) }
        let left = try await scene.rows(scene.here)
        let whole = try await scene.there.pool.query("SELECT arrived::text FROM tenant_move")
        _ = try await scene.there.pool.query("UPDATE tenant_move SET arrived = \(arrived)")
        let why = await scene.refusal { _ = try await scene.move() }
        #expect(why?.hasPrefix("the database of cell eu2 has lost tenant") == true, "\(why ?? "")")
        #expect(try await scene.rows(scene.here) == left)
        #expect(try await scene.open() == [])
        // Restored to a later time, it has all.
        _ = try await scene.there.pool.query(
            "UPDATE tenant_move SET arrived = $1::text::jsonb", [.text(whole[0].text(0))])
        _ = try await scene.move()
        #expect(try await scene.open() == ["there"])
    }

    @Test func `is known to both cells, and so is whether somebody moves it`() async throws {
        let scene = try await TenantMoveScene.make()
        let stores = [scene.here.store, scene.there.store]
        func expected(isUnderWay: Bool) -> [MovingTenant] {
            [
                MovingTenant(
                    id: scene.tenant, name: TenantMoveScene.name, state: .leaving, cell: "eu2",
                    isUnderWay: isUnderWay),
                MovingTenant(
                    id: scene.tenant, name: TenantMoveScene.name, state: .arriving, cell: "eu1",
                    isUnderWay: isUnderWay),
            ]
        }
        let seen = Seen()
        _ = await scene.refusal {
            _ = try await TenantMove(
                from: scene.here.pool, to: scene.there.pool,
                reached: { (step) async throws(TenantMove.Failure) in
                    guard step == .copied else { return }
                    for store in stores { await seen.add((try? await store.tenants.moves()) ?? []) }
                    throw .refused("killed")
                }
            ).run(TenantMoveScene.name)
        }
        #expect(await seen.moves == expected(isUnderWay: true))
        try await waitUntil {
            var moves: [MovingTenant] = []
            for store in stores { moves += try await store.tenants.moves() }
            return moves == expected(isUnderWay: false)
        }
        for (store, move) in zip(stores, expected(isUnderWay: false)) {
            #expect(try await store.lookAtFleet().moves == [move])
        }
    }

    @Test func `is found by the doctor when nobody goes on with its move`() async throws {
        let scene = try await TenantMoveScene.make()
        #expect(try await answer(scene.here) == .fine("none"))
        _ = await scene.refusal { _ = try await scene.move(killedAt: .left) }
        for (database, words) in [
            (scene.here, "mine has left for cell eu2, and is perhaps not open there"),
            (scene.there, "the move of mine from cell eu1 stands still"),
        ] {
            try await waitUntil { try await answer(database) != .fine("1 under way") }
            guard case .findings(let findings) = try await answer(database) else {
                Issue.record("it goes unnoticed")
                continue
            }
            #expect(findings.map(\.what) == [words])
            #expect(findings[0].remedy.contains("islet tenants move 'mine' --to-url-file"))
        }
        _ = try await scene.move()
        for database in [scene.here, scene.there] {
            #expect(try await answer(database) == .fine("none"))
        }
    }

    /// As a process that was killed leaves it: one that is refused takes the fence away.
    @Test func `is known to be closed for as long as the fence of a dead move lasts`() async throws
    {
        let scene = try await TenantMoveScene.make()
        _ = await scene.refusal { _ = try await scene.move(killedAt: .copied) }
        for (seconds, isClosed) in [(30.0, true), (-1, false)] {
            _ = try await scene.here.pool.query(
                """
                UPDATE tenant_move SET is_fenced = true,
                    closed_until = clock_timestamp() + $1 * interval '1 s'
                """, [.float8(seconds)])
            #expect(try await scene.here.store.tenants.moves().map(\.isClosed) == [isClosed])
        }
    }

    /// Of a move that ends just then, Postgres shows the row still and the lock no longer.
    @Test func `does not stand still if its move ends while somebody asks`() async throws {
        let scene = try await TenantMoveScene.make()
        _ = await scene.refusal { _ = try await scene.move(killedAt: .left) }
        let mover = try await scene.here.pool.openDedicated()
        _ = try await mover.query(
            "SELECT pg_advisory_lock(hashtextextended('mover', $1))", [.tenant(scene.tenant)])
        let asker = try await scene.here.pool.openDedicated()
        try await asker.script("BEGIN ISOLATION LEVEL REPEATABLE READ")
        let before = try await asker.query(MovingTenant.all)
        _ = try await mover.query("DELETE FROM tenant_move")
        await mover.close()
        try await waitUntil {
            try await asker.query(MovingTenant.all).first?.bool(5) == false
        }
        let now = try await asker.query(MovingTenant.all)
        #expect(try MovingTenant.moves(before, now).map(\.isUnderWay) == [true])
        // One that was not locked the first time either does stand still.
        #expect(try MovingTenant.moves(now, now).map(\.isUnderWay) == [false])
        #expect(try await scene.here.store.tenants.moves() == [])
        await asker.close()
    }

    @Test func `does not wait without end for what others have locked`() async throws {
        let scene = try await TenantMoveScene.make()
        let blocking = try await scene.here.pool.openDedicated()
        try await blocking.script("BEGIN; LOCK TABLE event")
        let why = await scene.refusal {
            try await MoveEnds.with(scene.here.pool, scene.there.pool) {
                (ends) async throws(TenantMove.Failure) in
                _ = try await ends.insist(
                    "SELECT watch_table($1, 'event')", [.tenant(scene.tenant)], attemptsMax: 1)
            }
        }
        #expect(why?.contains("has locked what the move needs") == true, "\(why ?? "")")
        await blocking.close()
    }

    private func answer(_ database: TestDatabase) async throws -> DoctorCheck.Answer {
        let scene = DoctorScene(
            pool: database.pool, visitors: nil, hosts: [], nodes: 1,
            connectionsPerNode: .init(service: 40, visitor: 0), lagSecondsMax: 30,
            now: { Moment(unixSeconds: Int64(Date().timeIntervalSince1970)) })
        return try await MoveCheck.check.look(scene)
    }

    /// Which of the tenant's callers get the answer to wait.
    private func waiting(in store: EventStore, _ tenant: TenantID) async -> Set<String> {
        var waiting: Set<String> = []
        do throws(EventStoreError) { _ = try await store.tenants.lookUp(key: Self.key) } catch {
            if case .moving = error { waiting.insert("key") }
        }
        do throws(EventStoreError) { _ = try await store.tickets.lookUp(ticketsOf: tenant) } catch {
            if case .moving = error { waiting.insert("ticket") }
        }
        return waiting
    }

    /// Of a minute of long ago.
    private static func putFigure(
        of tenant: TenantID, in database: TestDatabase
    ) async throws(PostgresError) {
        _ = try await database.pool.query(
            """
            INSERT INTO series_minute (tenant, minute, counts)
            VALUES ($1, '2001-01-01T00:00:00Z', '{"events": 7}')
            """, [.tenant(tenant)])
    }
}

private actor Seen {
    private(set) var moves: [MovingTenant] = []

    func add(_ more: [MovingTenant]) { moves += more }
}
