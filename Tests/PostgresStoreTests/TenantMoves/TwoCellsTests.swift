import Domain
import EventLoop
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

struct `Two cells that are looked at together` {
    @Test func `agree when they have names, numbers and tables, and no app of two teams`()
        async throws
    {
        let scene = try await TenantMoveScene.make()
        #expect(try await findings(scene) == [])
    }

    @Test func `are not taken for one that is looked at twice`() async throws {
        let scene = try await TenantMoveScene.make()
        let why = await scene.refusal {
            _ = try await TwoCells(scene.here.pool, scene.here.pool).findings()
        }
        #expect(why?.contains("the same database") == true)
    }

    @Test func `leave no connection open behind the look, however it ends`() async throws {
        let here = pool(try await TestDatabase.make().url)
        let away = pool("postgresql://nobody@127.0.0.1:1/none")
        let unreachable = await #expect(throws: TenantMove.Failure.self) {
            try await MoveEnds.with(here, away) { (_) async throws(TenantMove.Failure) -> Void in }
        }
        guard case .otherStore(.cannotConnect)? = unreachable else {
            Issue.record("\(String(describing: unreachable))")
            return
        }
        #expect(await here.load.lent == 0)
        let open = Lock(0)
        await #expect(throws: TenantMove.Failure.self) {
            try await MoveEnds.with(here, here) { (_) async throws(TenantMove.Failure) -> Void in
                let lent = await here.load.lent
                open.withLock { $0 = lent }
                throw .refused("why")
            }
        }
        #expect(open.value == 2)
        #expect(await here.load.lent == 0)
        await here.close()
        await away.close()
    }

    private func pool(_ url: String) -> Pool {
        Pool(
            PoolConfiguration(connection: ConnectionConfiguration(url: url), connectionsMax: 1),
            loop: TestDatabase.loop)
    }

    @Test func `need names and numbers of their own`() async throws {
        let scene = try await TenantMoveScene.make()
        let unnamed = try await TestDatabase.make()
        #expect(
            try await TwoCells(scene.here.pool, unnamed.pool).findings()
                == [.unnamed(isOther: true)])
        try await unnamed.store.tenants.setCell(Cell(name: "eu1", isHere: true))
        #expect(
            try await TwoCells(scene.here.pool, unnamed.pool).findings()
                == [.unnumbered(isOther: true), .sameName("eu1")])
        try await unnamed.store.tenants.setCell(Cell(name: "eu1", number: 1, isHere: true))
        #expect(
            try await TwoCells(scene.here.pool, unnamed.pool).findings()
                == [.sameName("eu1"), .sameNumber(1)])
    }

    @Test func `need addresses of their own, whichever of them knows these`() async throws {
        let scene = try await TenantMoveScene.make()
        func set(_ name: String, _ url: String, in database: TestDatabase) async throws {
            try await database.store.tenants.setCell(Cell(name: name, url: url))
        }
        try await set("eu2", "https://eu2.example", in: scene.here)
        #expect(try await findings(scene) == [])
        try await set("eu1", "https://eu2.example", in: scene.there)
        #expect(
            try await findings(scene)
                == [.sameAddress("https://eu2.example", cells: ["eu1", "eu2"])])
    }

    @Test func `need tables of one version, and tenants that only one of them has`() async throws {
        let scene = try await TenantMoveScene.make()
        _ = try await scene.there.pool.query("ALTER TABLE registration ADD COLUMN newer text")
        _ = try await scene.there.store.tenants.ensure(TenantMoveScene.name)
        #expect(
            try await findings(scene)
                == [.otherTables, .sameTenant(TenantMoveScene.name, isOne: false)])
    }

    @Test func `do not take one tenant for two when a backup has brought it back`() async throws {
        let scene = try await TenantMoveScene.make()
        let made = try await scene.here.pool.query(
            "SELECT created_at::text FROM tenant WHERE id = $1", [.tenant(scene.tenant)])
        func add(madeAt moment: String) async throws {
            _ = try await scene.there.pool.query("DELETE FROM tenant")
            _ = try await scene.there.pool.query(
                """
                INSERT INTO tenant (id, name, created_at) OVERRIDING SYSTEM VALUE
                VALUES ($1, $2, $3::text::timestamptz)
                """, [.tenant(scene.tenant), .text(TenantMoveScene.name), .text(moment)])
        }
        try await add(madeAt: made[0].text(0))
        #expect(try await findings(scene) == [.sameTenant(TenantMoveScene.name, isOne: true)])
        // Of two cells that had no numbers.
        try await add(madeAt: "2026-01-01T00:00:00Z")
        #expect(try await findings(scene) == [.sameTenant(TenantMoveScene.name, isOne: false)])
    }

    @Test func `must know an app by one team, or its tenant does not move`() async throws {
        let scene = try await TenantMoveScene.make()
        let stranger = try await scene.there.store.tenants.ensure("stranger").id
        try await addKey("ABCDE12345", to: scene.tenant, in: scene.here)
        try await addKey("ABCDE12345", to: stranger, in: scene.there)
        #expect(try await findings(scene) == [])
        _ = try await scene.there.pool.query("UPDATE app_key SET team_id = 'OTHER67890'")
        #expect(
            try await findings(scene) == [
                .otherTeam(
                    .init(
                        bundleID: "com.example.shared", teamID: "ABCDE12345",
                        otherTeamID: "OTHER67890"))
            ])
        let why = await scene.refusal { _ = try await scene.move() }
        #expect(why?.contains("belongs to team ABCDE12345, and in the target to OTHER") == true)
        _ = try await scene.there.pool.query("DELETE FROM app_key")
        _ = try await scene.move()
        #expect(try await scene.open() == ["there"])
    }

    @Test func `are asked for the app's team again before the tenant leaves`() async throws {
        let scene = try await TenantMoveScene.make()
        let stranger = try await scene.there.store.tenants.ensure("stranger").id
        try await addKey("ABCDE12345", to: scene.tenant, in: scene.here)
        _ = await scene.refusal { _ = try await scene.move(killedAt: .copied) }
        try await addKey("OTHER67890", to: stranger, in: scene.there)
        let why = await scene.refusal { _ = try await scene.move() }
        #expect(why?.contains("belongs to team ABCDE12345, and in the target to OTHER") == true)
        #expect(try await scene.open() == ["here"])
        // It is not fenced any more.
        _ = try await scene.here.store.log.append(scene.tenant, [Samples.event("afterwards")])
    }

    @Test func `must have one master key, or a tenant with sealed keys does not move`()
        async throws
    {
        let scene = try await TenantMoveScene.make()
        let stranger = try await scene.there.store.tenants.ensure("stranger").id
        try await addKey("ABCDE12345", to: stranger, in: scene.there)
        _ = try await scene.there.pool.query("UPDATE app_key SET master_key_id = 'm2'")
        #expect(try await findings(scene) == [.otherMasterKeys(here: ["m1"], other: ["m2"])])
        let why = await scene.refusal { _ = try await scene.move() }
        #expect(why?.contains("sealed with the master key m1, and in the target nothing") == true)
        _ = try await scene.here.pool.query("UPDATE app_key SET master_key_id = 'm2'")
        let also = await scene.refusal { _ = try await scene.move() }
        #expect(also == why, "its webhook has it too")
        _ = try await scene.here.pool.query("UPDATE webhook_secret SET master_key_id = 'm2'")
        #expect(try await findings(scene) == [])
        _ = await scene.refusal { _ = try await scene.move(killedAt: .copied) }
        _ = try await scene.there.pool.query(
            "UPDATE app_key SET master_key_id = 'm3' WHERE tenant = $1", [.tenant(stranger)])
        let late = await scene.refusal { _ = try await scene.move() }
        #expect(late?.contains("sealed with the master key m2, and in the target") == true)
        _ = try await scene.there.pool.query(
            "DELETE FROM app_key WHERE tenant = $1", [.tenant(stranger)])
        _ = try await scene.move()
        #expect(try await scene.open() == ["there"])
    }

    @Test func `report a move that nobody goes on with, and none that goes on`()
        async throws
    {
        let scene = try await TenantMoveScene.make()
        let during = Lock<[TwoCells.Finding]>([])
        _ = try await TenantMove(
            from: scene.here.pool, to: scene.there.pool,
            reached: { _ async throws(TenantMove.Failure) in
                let found = try await TwoCells(scene.here.pool, scene.there.pool).findings()
                during.withLock { $0 += found }
            }
        ).run(TenantMoveScene.name)
        #expect(during.withLock { $0 } == [])
        _ = await scene.refusal { _ = try await scene.move(killedAt: .left, back: true) }
        try await waitUntil { try await !findings(scene).isEmpty }
        let gone = MovingTenant(
            id: scene.tenant, name: TenantMoveScene.name, state: .gone, cell: "eu1",
            isUnderWay: false)
        #expect(try await findings(scene) == [.stalledMove(gone, isOther: true)])
        _ = try await scene.move(back: true)
        #expect(try await findings(scene) == [])
    }

    private func findings(_ scene: TenantMoveScene) async throws -> [TwoCells.Finding] {
        try await TwoCells(scene.here.pool, scene.there.pool).findings()
    }

    private func addKey(
        _ team: String, to tenant: TenantID, in database: TestDatabase
    ) async throws {
        _ = try await database.pool.query(
            """
            INSERT INTO app_key (tenant, bundle_id, team_id, key_id, scope, sealed, master_key_id)
            VALUES ($1, 'com.example.shared', $2, 'KEY4567890', 'both', '\\x00', 'm1')
            """, [.tenant(tenant), .text(team)])
    }
}
