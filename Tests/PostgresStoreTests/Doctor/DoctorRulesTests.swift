import Domain
import EventStore
import Postgres
import TestSupport
import Testing
@testable import PostgresStore

/// What the checks of `islet doctor` conclude, without a database.
struct `The doctor concludes` {
    private func host(_ name: String, isStandby: Bool, cluster: Int64 = 7) -> SeenHost {
        SeenHost(
            host: ConnectionString.hosts(of: "host=\(name)")[0],
            facts: .success(
                SeenHost.Facts(isStandby: isStandby, version: 150_004, systemIdentifier: cluster)))
    }

    private func silent(_ name: String) -> SeenHost {
        SeenHost(
            host: ConnectionString.hosts(of: "host=\(name)")[0],
            facts: .failure(.cannotConnect(detail: "timeout expired")))
    }

    @Test func `nothing of a primary and its standbys`() {
        let hosts = [host("a", isStandby: true), host("b", isStandby: false)]
        #expect(HostsCheck.findings(hosts) == [])
    }

    @Test func `that hosts are silent, without a primary, or primaries twice`() {
        let one = HostsCheck.findings([host("a", isStandby: false), silent("b")])
        #expect(one.map(\.what) == ["b does not answer: timeout expired"])
        let none = HostsCheck.findings([host("a", isStandby: true), host("b", isStandby: true)])
        #expect(none.map(\.what) == ["no host takes writes: a, b only follow"])
        let strangers = HostsCheck.findings([
            host("a", isStandby: false), host("b", isStandby: true, cluster: 8),
        ])
        #expect(strangers.map(\.what) == ["a, b are not of one cluster"])
    }

    private func refusing(_ name: String, _ state: String) -> SeenHost {
        SeenHost(
            host: ConnectionString.hosts(of: "host=\(name)")[0],
            facts: .failure(.notAdmitted(ServerError(sqlState: state, message: "no"))))
    }

    /// One that is full of connections lives, and another one beside it would make two logs.
    @Test func `that a host which could not be asked may be the primary`() throws {
        for away in [refusing("c", "53300"), silent("c")] {
            let findings = HostsCheck.findings([host("a", isStandby: true), away])
            let last = try #require(findings.last)
            #expect(findings.count == 2)
            #expect(last.what == "no host that lets us in takes writes: a only follow")
            #expect(last.meaning.hasPrefix("c may be the primary"))
            #expect(!last.remedy.contains("pg_promote"), "\(last.remedy)")
            #expect(last.remedy.hasPrefix("see to c first, as said above, and promote nothing"))
            #expect(!last.remedy.contains("patronictl failover"), "it may live, and be full")
        }
        let all = HostsCheck.findings([host("a", isStandby: true), host("b", isStandby: true)])
        let remedy = try #require(all.first).remedy
        #expect(remedy.hasPrefix("if Patroni or another manager looks after Postgres: patronictl"))
        #expect(remedy.hasSuffix("psql -c 'SELECT pg_promote()'"))
    }

    /// Of a standby that is well most checks would say what is not true of the primary.
    @Test func `nothing of standbys while no host takes writes`() async {
        let nobody = Pool(
            PoolConfiguration(connection: ConnectionConfiguration(url: "host=127.0.0.1 port=1")),
            loop: TestDatabase.loop)
        let scene = DoctorScene(
            pool: nobody, visitors: nil, hosts: [host("a", isStandby: true), silent("b")], nodes: 1,
            connectionsPerNode: .init(service: 40, visitor: 0), lagSecondsMax: 30,
            now: { .timeOfDay })
        let reports = await DatabaseChecks.look(at: scene)
        #expect(reports.count == DatabaseChecks.checks.count)
        for report in reports.dropFirst() {
            #expect(report.answer == .unseen("no host takes writes"), "\(report.name)")
        }
        await nobody.close()
    }

    @Test(
        arguments: [
            ("53300", "CONNECTION LIMIT"), ("28P01", "password"), ("28000", "pg_hba.conf"),
            ("3D000", "createdb"), ("57P03", "wait"), ("XX000", "log of Postgres"),
        ])
    func `that a host answers which lets nobody in, and why`(state: String, remedy: String) {
        let host = refusing("a", state)
        #expect(host.refuses)
        let found = HostsCheck.findings([host])
        #expect(found.map(\.what) == ["a lets nobody in: \(state) no"])
        #expect(found.first?.remedy.contains(remedy) == true, "\(found)")
    }

    @Test func `that hosts of different versions, unsafe settings and open walls need a hand`() {
        var standby = host("b", isStandby: true)
        standby.facts = .success(
            SeenHost.Facts(isStandby: true, version: 150_009, systemIdentifier: 7))
        let versions = HostsCheck.findings([host("a", isStandby: false), standby])
        #expect(
            versions.map(\.what) == [
                "the hosts have different versions of Postgres: a 15.4, b 15.9"
            ])
        var seen = DurabilityCheck.Seen(
            fsync: "on", fullPageWrites: "on", synchronousCommit: "remote_apply")
        #expect(DurabilityCheck.findings(seen) == [])
        seen.synchronousCommit = "off"
        seen.fullPageWrites = "off"
        #expect(DurabilityCheck.findings(seen).count == 2)
        #expect(WallsCheck.findings(TenantWalls(hasRole: true)) == [])
        var open = TenantWalls.Gap(table: "event", owner: "islet_service")
        open.isOpen = true
        #expect(WallsCheck.findings(TenantWalls(hasRole: false, gaps: [open])).count == 2)
    }

    @Test func `that a user is not shown the rows of tenants`() {
        let found = RolesCheck.findings(WalledUser(name: "ro", owner: "islet_service"))
        #expect(
            found.map(\.what) == ["row-level security hides the tenants' rows from the user ro"])
        #expect(found.first?.remedy == "log in as islet_service, who owns the tables")
    }

    @Test func `that a log is held, and what is ahead of it`() {
        #expect(LogCheck.findings(nil, []) == [])
        let held = LogCheck.findings(.copied, [])
        #expect(held.count == 1)
        #expect(held[0].what.contains(LogExplanation.why(.copied)))
        #expect(held[0].remedy.contains("islet restore accept"))
        #expect(held[0].remedy.contains("first `islet erase` again for everyone"))
        let ahead = LogCheck.findings(
            .asked, [.checkpoint(tenant: "shop", position: 7, head: 0), .clock(seconds: 90)])
        #expect(
            ahead.dropFirst().map(\.what) == [
                "the checkpoint of shop is 7, and its log ends at 0",
                "the database's clock is 90 s behind what the database has written down",
            ])
        #expect(ahead.last?.remedy == "restore all of the database from one and the same backup")
    }

    @Test func `that indexes are not whole, or nobody's`() {
        func index(_ isValid: Bool, _ isUsed: Bool, _ isOfSchema: Bool) -> IndexCheck.Index {
            IndexCheck.Index(
                name: "i", table: "event", bytes: 100 << 20, isValid: isValid, isUsed: isUsed,
                isOfSchema: isOfSchema)
        }
        #expect(IndexCheck.findings([index(true, false, true), index(true, true, false)]) == [])
        #expect(IndexCheck.findings([index(false, true, true)]).count == 1)
        #expect(IndexCheck.findings([index(true, false, false)]).count == 1)
    }

    @Test(arguments: [
        ("a", 1), ("a, b", 1), ("*", 1), ("2 (a, b, c)", 2), ("FIRST 2 (a, b)", 2),
        ("ANY 3 (*)", 3), (#"FIRST 1 ("s(1)")"#, 1),
    ])
    func `for how many standbys commits wait`(names: String, count: Int) {
        #expect(StandbyCheck.count(in: names) == count)
    }

    @Test func `that standbys are away that commits wait for`() {
        var seen = StandbyCheck.Seen(
            names: "ANY 2 (*)", synchronousCommit: "on", connected: 3, synchronous: 2,
            isVisible: true)
        #expect(StandbyCheck.findings(seen) == [])
        seen.synchronous = 1
        #expect(StandbyCheck.findings(seen).count == 1)
        seen.synchronousCommit = "local"
        #expect(StandbyCheck.findings(seen) == [], "nobody waits")
        seen = StandbyCheck.Seen(
            names: "a", synchronousCommit: "on", connected: 0, synchronous: 0, isVisible: false)
        let alone = StandbyCheck.findings(seen)
        #expect(alone.count == 1, "none is there, which anybody may see")
        let patroni = "synchronous_mode=true -s synchronous_mode_strict=false"
        #expect(alone.first?.remedy.contains(patroni) == true)
        #expect(alone.first?.remedy.contains("ALTER SYSTEM RESET") == true)
        seen.names = " "
        #expect(StandbyCheck.findings(seen) == [])
        seen.isOverridden = true
        #expect(StandbyCheck.findings(seen) == [], "there is none to wait for")
        seen.connected = 2
        #expect(StandbyCheck.summary(seen) == "commits wait for none; 2 connected")
        seen.isOriginHidden = true
        #expect(StandbyCheck.summary(seen).contains("whether ALTER SYSTEM set that"))
        let overridden = StandbyCheck.findings(seen)
        #expect(overridden.first?.what.hasSuffix("and 2 standbys are connected") == true)
        #expect(overridden.first?.remedy.contains("ALTER SYSTEM RESET") == true)
    }

    private func budget(
        available: Int = 97, open: Int = 40, openHere: Int = 40, nodes: Int = 1,
        role: Int? = nil
    ) -> FleetConnections {
        FleetConnections(
            available: available, open: open, openHere: openHere, nodes: nodes,
            perNode: .init(service: 40, visitor: 16),
            limits: [.init(name: "ROLE islet_service", most: role, perNode: 40)])
    }

    @Test func `whether nodes' connections fit into what Postgres lets in`() {
        #expect(budget().findings == [])
        let three = budget(nodes: 3).findings
        #expect(three.count == 1)
        #expect(three[0].what.contains("168 connections and others have 0 open"))
        #expect(three[0].remedy.contains("max_connections = 180"))
        #expect(budget(open: 82, openHere: 40).findings.count == 1, "others have 42")
        #expect(
            budget(open: 95, openHere: 95).findings.map(\.what) == [
                "95 of 97 connections are open now"
            ])
        var full = budget(open: 95, openHere: 95)
        full.largest = .init(user: "me", program: "psql", count: 90)
        #expect(
            full.findings.map(\.what) == [
                "95 of 97 connections are open now, 90 of them by psql as me"
            ])
        #expect(budget(role: 40).findings == [])
        let limited = budget(role: 30).findings
        #expect(
            limited.map(\.remedy) == [
                "psql -c 'ALTER ROLE islet_service CONNECTION LIMIT 50'"
            ])
    }

    @Test func `whether clocks agree, as far as the way there and back lets it tell`() {
        #expect(ClockCheck.findings(aheadSeconds: 4.9, tripSeconds: 0) == [])
        #expect(ClockCheck.findings(aheadSeconds: -6, tripSeconds: 0.1).count == 1)
        #expect(ClockCheck.findings(aheadSeconds: 6, tripSeconds: 4) == [])
        #expect(
            ClockCheck.findings(aheadSeconds: 9, tripSeconds: 0)[0].what
                == "this machine's clock is 9.0 s ahead of the database's")
        #expect(
            ClockCheck.findings(aheadSeconds: 9, tripSeconds: 0)[0].meaning
                .hasPrefix("Tokens for APNs and tickets go by the node's clock"))
    }

    @Test func `that a pooler shares sessions, and nothing of one that does not`() {
        let own = host("a", isStandby: false)
        #expect(HostsCheck.findings([own]) == [])
        let shared = SeenHost(host: own.host, facts: .failure(.sharedSession))
        #expect(
            HostsCheck.findings([shared]).map(\.what)
                == ["a pooler at a gives one session to several clients"])
    }

    @Test func `which tenants stand still, and who may keep them waiting`() {
        let tenants = [
            Tenant(id: TenantID(rawValue: 1), name: "shop"),
            Tenant(id: TenantID(rawValue: 2), name: "cafe"),
        ]
        let still = ProjectionLag(
            tenant: tenants[0].id, checkpoint: 1, head: 4, waitedSeconds: 61, unmovedSeconds: 70)
        let moving = ProjectionLag(
            tenant: tenants[1].id, checkpoint: 1, head: 10, waitedSeconds: 900, unmovedSeconds: 1)
        let alone = LagCheck.findings([moving, still], of: tenants, [], secondsMax: 30)
        #expect(
            alone.map(\.what) == [
                "the log of shop stands still: 3 events wait, the first for 61 s"
            ])
        #expect(alone[0].remedy.contains("--role projector"))
        let found = LagCheck.findings(
            [still], of: tenants, [.init(processID: 77, name: "psql", seconds: 65)],
            secondsMax: 30)
        #expect(found[0].remedy.contains("pg_terminate_backend(77)"))
        let hidden = LagCheck.findings(
            [still], of: tenants, [.init(processID: 78, name: "psql of me", seconds: nil)],
            secondsMax: 30)
        #expect(hidden[0].remedy.hasPrefix("a session (psql of me) has had a transaction open and"))
        let newer = LagCheck.findings(
            [still], of: tenants, [.init(processID: 77, name: "psql", seconds: 65)],
            newer: [still.tenant], secondsMax: 30)
        #expect(newer[0].remedy.hasPrefix("a newer version of Islet than this program has folded"))
    }

    @Test func `who sends nothing, or too slowly`() {
        let waiting = FleetFacts.Waiting(count: 1_574, seconds: 35.2)
        let nobody = UnsentCheck.finding(waiting, claims: [:], [])
        #expect(nobody.what == "1574 changes wait to be sent, the first for 35 s")
        #expect(nobody.remedy.contains("--role sender"))
        let slow = UnsentCheck.finding(waiting, claims: ["south": 3, "north": 12], [])
        #expect(slow.remedy.contains("north (12), south (3)"))
        let found = UnsentCheck.finding(
            waiting, claims: ["north": 1], [.init(processID: 77, name: "psql", seconds: nil)])
        #expect(found.remedy.contains("pg_terminate_backend(77)"))
    }

    @Test func `that users may do more than they must`() {
        var role = RolesCheck.Role(
            name: "x", isSuperuser: false, passesWalls: false, makesRoles: true)
        #expect(RolesCheck.findings(role, isVisitor: false) == [])
        #expect(RolesCheck.findings(role, isVisitor: true).count == 1)
        role.isSuperuser = true
        #expect(RolesCheck.findings(role, isVisitor: false)[0].what == "the user x has SUPERUSER")
    }

    @Test func `that activities stand still, and not those that only left an event out`() {
        let both = ParkedCheck.findings([
            .init(tenant: "shop", blocking: 2, alone: 1),
            .init(tenant: "bar", blocking: 0, alone: 2),
        ])
        #expect(
            both.map(\.what) == [
                "2 events of shop could not be folded",
                "1 event of shop names an activity of another kind",
                "2 events of bar name activities of another kind",
            ])
        #expect(both.map { $0.meaning.contains("stand still") } == [true, false, false])
        let quoted = ParkedCheck.findings([.init(tenant: "bob's bar", blocking: 1, alone: 0)])
        #expect(quoted[0].remedy.contains(#"retry --tenant 'bob'\''s bar'"#))
    }

    @Test func `that it could not look, in the words of what was asked`() {
        #expect(DoctorCheck.Answer(.unavailable(detail: "no answer")) == .unseen("no answer"))
        #expect(
            DoctorCheck.Answer(.failed(sqlState: "42501", detail: "denied"))
                == .unseen("42501 denied"))
    }

    @Test func `what a move is at that nobody goes on with, and how it does`() {
        func move(
            _ state: MovingTenant.State, isOpen: Bool = false, isUnderWay: Bool = false,
            isClosed: Bool = false
        ) -> MovingTenant {
            MovingTenant(
                id: TenantID(rawValue: 7), name: "shop", state: state, cell: "eu2", isOpen: isOpen,
                isUnderWay: isUnderWay, isClosed: isClosed)
        }
        let findings = MoveCheck.findings([
            move(.leaving), move(.gone), move(.gone, isOpen: true), move(.arriving),
        ])
        #expect(
            findings.map(\.what) == [
                "the move of shop to cell eu2 stands still",
                "shop has left for cell eu2, and is perhaps not open there",
                "the move of shop to cell eu2 stands still",
                "the move of shop from cell eu2 stands still",
            ])
        #expect(findings[0].remedy.hasSuffix("goes on with it; --cancel ends it"))
        #expect(findings[0].meaning.hasPrefix("The tenant works here as before."))
        let closed = MoveCheck.findings([move(.leaving, isClosed: true)])
        #expect(closed[0].meaning.contains("its callers may get 503, for 30 s at most. Then"))
        #expect(findings[1].meaning.contains("Unless it is open there already, it is in no cell"))
        #expect(findings[3].remedy.hasPrefix("in cell eu2: islet tenants move 'shop'"))
        #expect(MoveCheck.findings([move(.leaving, isUnderWay: true)]) == [])
    }

    @Test func `where it is set that commits wait for no disk, and how to undo that`() {
        var seen = DurabilityCheck.Seen(
            fsync: "on", fullPageWrites: "on", synchronousCommit: "off")
        let server = DurabilityCheck.findings(seen)
        #expect(server.map(\.what) == ["synchronous_commit is off"])
        #expect(server.first?.remedy.contains("ALTER SYSTEM RESET") == true)
        seen.origin = SettingOrigin(database: "islet")
        let database = DurabilityCheck.findings(seen)
        #expect(database.map(\.what) == ["synchronous_commit is off in islet"])
        #expect(
            database.first?.remedy.hasPrefix(
                "psql -c 'ALTER DATABASE islet RESET synchronous_commit'") == true)
    }

    @Test func `where it is set that a database is read-only, and how to undo that`() {
        let server = WritesCheck.finding(.init(role: nil, database: nil))
        #expect(server.remedy.contains("ALTER SYSTEM RESET") && server.remedy.contains("disk"))
        let database = WritesCheck.finding(.init(role: nil, database: "islet"))
        #expect(database.what.hasSuffix("(default_transaction_read_only = on in islet)"))
        #expect(database.remedy.contains("ALTER DATABASE islet RESET"))
        let role = WritesCheck.finding(.init(role: "app", database: nil))
        #expect(
            role.remedy.hasPrefix(
                "psql -c 'SET default_transaction_read_only = off' "
                    + "-c 'ALTER ROLE app RESET default_transaction_read_only'; if psql goes by"))
        let both = WritesCheck.finding(.init(role: "app", database: "islet"))
        #expect(both.what.hasSuffix(" = on for the user app in islet)"))
        #expect(both.remedy.contains("ALTER ROLE app IN DATABASE islet RESET"))
    }

    @Test func `that a disk is full, and what is never removed to make room`() {
        let full = WritesCheck.finding(ServerError(sqlState: "53100", message: "no space"))
        #expect(full.what == "the database cannot write: 53100 no space")
        #expect(full.remedy.contains("data_directory"))
        #expect(full.remedy.contains("Never remove anything in pg_wal"))
        var used = ServerError(sqlState: "54000", message: "not accepting commands")
        used.isOutOfIDs = true
        #expect(WritesCheck.finding(used).remedy.contains("then vacuumdb --all --freeze;"))
        let broken = WritesCheck.finding(ServerError(sqlState: "58030", message: "I/O"))
        #expect(broken.remedy.hasPrefix("the log of Postgres"))
    }

    @Test func `that pushes to phones keep failing, and why most do`() {
        #expect(OwedCheck.findings(count: 0, reason: "") == [])
        let found = OwedCheck.findings(count: 2, reason: "cannot connect: refused")
        #expect(
            found.map(\.what) == [
                "2 phones wait for a push that has failed 3 times or more (cannot connect: refused)"
            ])
        // Whether APNs answered tells which of them is true.
        for page in ["IsletAPNsAway", "IsletAPNsFailing"] {
            #expect(found.allSatisfy { $0.remedy.contains("docs/runbooks/\(page).md") })
        }
    }
}
