import Archive
import Domain
import EventStore
import Foundation
import Pipeline
import Postgres
import PostgresStore
import Projections
import Replay
import StoreTestSupport
import TestSupport
import Testing

/// What a person is called goes, wherever Islet keeps it, and everything else stays.
@Suite(.timeLimit(.minutes(5)))
struct `An erasure` {
    private static let names = [
        "Ottokar", "Zwackelmann", "Petrosilius", "Wanja", "Hotzenplotz", "Amaryllis",
    ]
    private static let start = Moment.timeOfDay
    private static let order = ActivityID(rawValue: "order-7")
    private static let quest = ActivityID(rawValue: "quest-7")

    private struct Scene {
        let database: TestDatabase
        let tenant: Tenant
        let directory: String

        var store: EventStore { database.store }

        func report(
            _ type: String, _ data: String, of activity: ActivityID = order, id: String? = nil,
            after seconds: Int = 0, to other: Tenant? = nil
        ) async throws -> [AppendResult] {
            try await store.log.append(
                (other ?? tenant).id,
                [
                    NewEvent(
                        id: id ?? UUID().uuidString, source: "/shop", type: type,
                        activityID: activity,
                        occurredAt: `An erasure`.start.adding(seconds: Double(seconds)),
                        data: Data(data.utf8))
                ])
        }

        func fold() async {
            let projector = Projector(store: store) { Issue.record($0) }
            await projector.drain()
        }

        @discardableResult
        func erase(_ activity: ActivityID = order) async throws -> ErasureChanges {
            try await store.erasure.erase(tenant.id, activity, Erasing.rewrite).get()
        }

        func verify() async throws -> VerificationReport {
            try await Verifier.verify(History(store, of: tenant), depth: .decisions)
        }

        func archive(through: Int64) async throws -> LogArchive? {
            try await Archiving.run(
                store, tenant, through: through, in: Layout(directory)
            ) { _ in }
        }

        func names(_ texts: [String]) -> [String] {
            `An erasure`.names.filter { name in
                let hex = name.utf8.map { String(format: "%02x", $0) }.joined()
                return texts.contains {
                    $0.localizedCaseInsensitiveContains(name) || $0.contains(hex)
                }
            }
        }

        /// Every row of every table, with what is packed unpacked.
        func namesInDatabase() async throws -> [String] {
            try await database.unpack()
            let tables = try await database.pool.query(
                "SELECT quote_ident(relname) FROM pg_class WHERE relkind = 'r' "
                    + "AND relnamespace = current_schema()::regnamespace")
            var found: [String] = []
            for table in tables {
                let rows = try await database.pool.query(
                    "SELECT t::text FROM \(try table.text(0)) t")
                var texts: [String] = []
                for row in rows { texts.append(try row.text(0)) }
                found += names(texts)
            }
            return Set(found).sorted()
        }

        func textsInFiles() throws -> [String] {
            let files = FileManager.default.enumerator(atPath: directory)?.allObjects ?? []
            return files.compactMap { $0 as? String }.compactMap {
                try? String(contentsOfFile: "\(directory)/\($0)", encoding: .utf8)
            }
        }

        /// - Parameter sealed: how many files have something sealed in them.
        func namesInFiles(sealed: Int = 2) throws -> [String] {
            let texts = try textsInFiles()
            #expect(texts.count { $0.contains("islet-sealed:") } == sealed)
            return names(texts)
        }

        func data(of activity: ActivityID = order) async throws -> [String] {
            try await store.log.readActivity(tenant.id, activity, 0, 100)
                .map { String(decoding: $0.event.data, as: UTF8.self) }
        }
    }

    /// An order with two drivers and a reason, and an adventure whose hero is found by her name.
    private func story(_ body: (Scene) async throws -> Void) async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("shop")
        let directory = NSTemporaryDirectory() + "islet-erasure-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let scene = Scene(database: database, tenant: tenant, directory: directory)
        try await tell(scene, tenant)
        try await body(scene)
    }

    private func tell(_ scene: Scene, _ tenant: Tenant) async throws {
        let pizza = "PizzaDelivery."
        for (place, (type, data)) in [
            (
                "OrderPlaced",
                #"{"orderNumber":"7","numberOfPizzas":2,"totalAmount":"€20.00","#
                    + #""promisedAt":"2026-05-01T19:00:00Z","customer":{"name":"Amaryllis"}}"#
            ),
            ("DriverAssigned", #"{"driverName":"Ottokar"}"#),
            ("DriverReassigned", #"{"driverName":"Wanja"}"#),
            ("DriverReassigned", #"{"driverName":"Ottokar"}"#),
            (
                "EstimateRevised",
                #"{"estimatedAt":"2026-05-01T19:30:00Z","reason":"Zwackelmann is away"}"#
            ),
            ("DeliveryFailed", #"{"reason":"Hotzenplotz did not open"}"#),
        ].enumerated() {
            _ = try await scene.report(
                pizza + type, data, id: "\(type)-\(place)", after: place, to: tenant)
        }
        _ = try await scene.report(
            "Adventure.AdventureBegun",
            #"{"heroName":"Petrosilius","healthPercent":80,"bio":"Knows Wanja"}"#,
            of: Self.quest, to: tenant)
        await scene.fold()
    }

    @Test func `leaves no name in the database, and a log from which all follows`() async throws {
        try await story { scene in
            #expect(try await scene.namesInDatabase() == Self.names.sorted())
            let before = try await scene.store.projections.decisions(
                scene.tenant.id, Self.order, 0, 100)
            let outcome = try await scene.erase()
            #expect(outcome.valueCount == 6 && outcome.events.count == 6)
            try await scene.erase(Self.quest)
            #expect(try await scene.namesInDatabase() == [])
            let after = try await scene.store.projections.decisions(
                scene.tenant.id, Self.order, 0, 100)
            #expect(after.map(\.decision.verdict) == before.map(\.decision.verdict))
            #expect(after.map(\.decision.rule) == before.map(\.decision.rule))
            #expect(after.contains { String(describing: $0.decision.alert).contains("erased-") })
            let report = try await scene.verify()
            #expect(report.isSound && report.activitiesErased == 2, "\(report.defects)")
            #expect(report.decisionsOfOtherRules == 0)
            let words = try await scene.database.pool.query("SELECT word FROM activity_word")
                .decodedTexts()
            #expect(words == ["2", "7", "erased"], "\(words)")
            let acts = try await scene.store.audit.list(scene.tenant.id, nil, 100)
            #expect(acts.map(\.act).filter { $0 == "activity.erased" }.count == 2)
        }
    }

    @Test func `tells equal values from others, and no more`() async throws {
        try await story { scene in
            try await scene.erase()
            let drivers = try await scene.data().compactMap {
                $0.firstMatch(of: /"driverName": "([^"]*)"/).map { String($0.1) }
            }
            #expect(drivers == ["erased-2", "erased-3", "erased-2"])
            let data = try await scene.data()
            #expect(data[0].contains(#""customer": "erased-5""#))
            #expect(data[0].contains(#""totalAmount": "€20.00""#))
            #expect(data[4].contains("2026-05-01T19:30:00Z"))
        }
    }

    @Test func `stays as it is beside what is sealed`() async throws {
        try await story { scene in
            try await scene.erase()
            _ = try await scene.archive(through: 7)
            let text = try scene.textsInFiles().joined()
            #expect(text.contains("islet-sealed:"))
            #expect(text.contains(#""driverName": "erased-2""#))
        }
    }

    @Test func `reaches archives that are written, and those that were dropped from`() async throws
    {
        try await story { scene in
            let archive = try #require(try await scene.archive(through: 7))
            // As if the order had been sent, and were over for good.
            try await scene.database.alter(
                """
                UPDATE snapshot SET phase = 'ended', due_at = NULL WHERE activity_id = 'order-7';
                UPDATE decision SET settled_at = now(), carried_by = version, accepted = 0,
                    failed = 0
                WHERE settled_at IS NULL
                """)
            let dropped = try await Dropping.run(
                scene.store, scene.tenant,
                Retention(otherwise: Moment(unixSeconds: 4_000_000_000)),
                in: Layout(scene.directory), open: { Layout($0) }, report: { _ in })
            #expect(dropped.events == 6)
            #expect(try scene.namesInFiles() == [])
            // While there is a key, an import opens what is sealed.
            let opened = try await imported(archive, scene, into: scene.tenant)
            #expect(opened.alreadyKnown == 1 && opened.recorded == 6)
            #expect(opened.unopened == 0)
            await scene.fold()
            #expect(try await scene.namesInDatabase() == Self.names.sorted())
            try await scene.erase()
            try await scene.erase(Self.quest)
            #expect(try await scene.namesInDatabase() == [])
            // Afterwards it is the same log, and nobody can open anything.
            let again = try await imported(archive, scene, into: scene.tenant)
            #expect(again.alreadyKnown == 7 && again.unopened > 0)
            let copy = try await scene.store.tenants.ensure("copy")
            let elsewhere = try await imported(archive, scene, into: copy)
            #expect(elsewhere.recorded == 7 && elsewhere.unopened == again.unopened)
            await scene.fold()
            #expect(try await scene.namesInDatabase() == [])
            let verified = try await Verifier.verify(
                History(scene.store, of: copy), depth: .decisions)
            #expect(verified.isSound, "\(verified.defects)")
        }
    }

    private func imported(
        _ archive: LogArchive, _ scene: Scene, into tenant: Tenant
    ) async throws -> Import.Summary {
        try await Import.run(
            from: Layout(archive.place), chain: archive.chain,
            now: Moment(unixSeconds: 4_000_000_000),
            into: .postgres(scene.database.pool), tenant: { tenant },
            seals: { SubjectSeals(scene.store.erasure, of: $0) }, report: { _ in })
    }

    @Test func `changes nothing when it is done again, and takes what came since`() async throws {
        try await story { scene in
            try await scene.erase()
            #expect(try await scene.erase().isEmpty)
            // The same event again is the same event.
            let type = "DriverAssigned"
            let data = #"{"driverName":"Ottokar"}"#
            let known = try await scene.report(
                "PizzaDelivery." + type, data, id: "\(type)-1", after: 1)
            #expect(known == [.alreadyKnown(position: 2, version: 2)])
            let other = try await scene.report(
                "PizzaDelivery." + type, #"{"driverName":"Ottokar","estimatedAt":null}"#,
                id: "\(type)-1", after: 1)
            #expect(other.first?.isAccepted == false)
            _ = try await scene.report("PizzaDelivery." + type, data, after: 60)
            await scene.fold()
            #expect(try await scene.namesInDatabase().contains("Ottokar"))
            let outcome = try await scene.erase()
            #expect(outcome.valueCount == 1 && outcome.eventCount == 1)
            // All are numbered by their bytes, as reports of one moment are settled.
            #expect(try await scene.data().last?.contains("erased-1") == true)
            #expect(try await scene.data()[1].contains("erased-3"))
            #expect(try await scene.verify().isSound)
        }
    }

    @Test func `takes a name that begins as its marks do`() async throws {
        try await story { scene in
            let type = "PizzaDelivery.DriverReassigned"
            let name = #"{"driverName":"erased-by Wanja"}"#
            _ = try await scene.report(type, name, id: "odd", after: 20)
            let other = try await scene.report(
                type, #"{"driverName":"Ottokar"}"#, id: "odd", after: 20)
            #expect(other.first?.isAccepted == false)
            await scene.fold()
            _ = try await scene.archive(through: 8)
            #expect(try scene.namesInFiles(sealed: 1) == [])
            try await scene.erase()
            #expect(try await scene.data().last?.contains("erased-by") == false)
            #expect(try await scene.verify().isSound)
        }
    }

    @Test func `that breaks off has done nothing, and is done by the next`() async throws {
        try await story { scene in
            try await scene.database.pool.withConnection {
                (connection) async throws(PostgresError)
                in
                try await connection.script(
                    """
                    CREATE FUNCTION break_off() RETURNS trigger LANGUAGE plpgsql AS
                        'BEGIN RAISE EXCEPTION ''the power is gone''; END';
                    CREATE TRIGGER breaks_off BEFORE UPDATE ON projection_checkpoint
                        FOR EACH ROW EXECUTE FUNCTION break_off()
                    """)
            }
            await #expect(throws: EventStoreError.self) { try await scene.erase() }
            let keys = try await scene.database.pool.query("SELECT FROM subject_key")
            #expect(keys.isEmpty)
            #expect(try await scene.data()[1].contains("Ottokar"))
            _ = try await scene.database.pool.query(
                "DROP TRIGGER breaks_off ON projection_checkpoint")
            try await scene.erase()
            #expect(try await scene.verify().isSound)
            #expect(try await scene.data()[1].contains("erased-2"))
        }
    }

    @Test func `that leaves a decision which no rules give again is no defect of the ledger`()
        async throws
    {
        try await story { scene in
            let other = ActivityID(rawValue: "order-8")
            // One driver to the policy, and two texts.
            for (second, name) in ["Ren\u{E9}", "Rene\u{301}", "Wanja"].enumerated() {
                _ = try await scene.report(
                    "PizzaDelivery.DriverAssigned", #"{"driverName":"\#(name)"}"#, of: other,
                    after: second)
            }
            await scene.fold()
            try await scene.erase(other)
            #expect(try await scene.data(of: other).allSatisfy { $0.contains("erased-") })
            let report = try await scene.verify()
            #expect(report.isSound, "\(report.defects)")
            #expect(report.decisionsOfOtherRules >= 1)
        }
    }

    @Test func `leaves another tenant's activity of the same name alone`() async throws {
        try await story { scene in
            let neighbour = try await scene.store.tenants.ensure("neighbour")
            try await tell(scene, neighbour)
            try await scene.erase()
            let events = try await scene.store.log.readActivity(neighbour.id, Self.order, 0, 100)
            #expect(events.count == 6)
            #expect(
                events.contains { String(decoding: $0.event.data, as: UTF8.self).contains("Wanja") }
            )
            let keys = try await scene.store.erasure.keys(
                scene.tenant.id, [Self.order], isMaking: true)
            let others = try await scene.store.erasure.keys(
                neighbour.id, [Self.order], isMaking: true)
            #expect(keys[Self.order]?.count == 32 && keys != others)
        }
    }

    @Test func `waits for what is not folded, and for what is parked`() async throws {
        try await story { scene in
            _ = try await scene.report(
                "PizzaDelivery.DriverAssigned", #"{"driverName":"Wanja"}"#)
            let content = try await scene.store.erasure.content(scene.tenant.id, Self.order)
            #expect(throws: ErasureRefusal.isBehind) { try Erasing.rewrite(content).get() }
            await #expect(throws: ErasureRefusal.isBehind) { try await scene.erase() }
            var blocked = content
            blocked.snapshot?.blockage = "something"
            #expect(throws: ErasureRefusal.isBlocked) { try Erasing.rewrite(blocked).get() }
        }
    }

    @Test(arguments: [
        #"UPDATE event SET data = data || '{"driverName":"erased-9"}' WHERE version = 2"#,
        #"UPDATE event SET data = '{}'"#, "UPDATE event SET source = 'erased-1'",
    ])
    func `is the only way to change an event`(statement: String) async throws {
        try await story { scene in
            await #expect(throws: PostgresError.self) {
                _ = try await scene.database.pool.query(statement)
            }
            let data = try await scene.data()
            #expect(data[1].contains("Ottokar"))
        }
    }
}

extension Rows {
    fileprivate func decodedTexts() throws -> [String] {
        var texts: [String] = []
        for row in self { texts.append(try row.text(0)) }
        return texts.sorted()
    }
}
