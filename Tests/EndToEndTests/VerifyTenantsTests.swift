import Domain
import EventStore
import Foundation
import Pipeline
import Postgres
import StoreTestSupport
import TestSupport
import Testing

/// `islet replay verify` of a database with several tenants, as after a restore.
@Suite(.timeLimit(.minutes(3)))
struct `A verification without a tenant` {
    @Test func `takes all tenants but one that is arriving, and ends as the worst does`()
        async throws
    {
        let database = try await TestDatabase.make()
        for name in ["pizzeria", "copy"] { try await record(1, of: name, in: database) }
        _ = try await database.pool.query(
            "SELECT begin_arrival(9999, 'fresh', now(), 'move-1', 'eu9')")
        try await ScratchDirectory.with { directory in
            func verify(_ words: String...) async throws -> IsletProgram.Result {
                try await IsletProgram.run(
                    ["replay", "verify"] + words + ["--database-url", database.url], in: directory)
            }
            let sound = try await verify("--decisions")
            #expect(sound.code == 0, "\(sound.errors)")
            let lines = sound.output.split(separator: "\n")
            #expect(lines.count == 3, "\(sound.output)")
            #expect(lines.first?.hasPrefix("pizzeria: 1 event of 1 activity") == true)
            #expect(lines.last?.hasPrefix("all 2 tenants: 2 events of 2 activities") == true)
            #expect(lines.last?.hasSuffix("; everything follows from the log") == true)
            let copy = try await database.store.tenants.ensure("copy").id.rawValue
            try await database.alter("DELETE FROM snapshot WHERE tenant = \(copy)")
            let unsound = try await verify()
            #expect(unsound.code == 1, "\(unsound.errors)")
            #expect(unsound.output.contains("pizzeria: 1 event of 1 activity"))
            #expect(unsound.output.hasSuffix("; 1 defect\n"), "\(unsound.output)")
            #expect(try await verify("--tenant", "pizzeria").code == 0)
            let json = try await verify("--json")
            let document = try #require(
                JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
            let tenants = document["tenants"] as? [[String: Any]]
            #expect(tenants?.compactMap { $0["tenant"] as? String } == ["pizzeria", "copy"])
            #expect(document["events"] as? Int == 2)
            #expect(document["defects"] as? Int == 1)
        }
    }

    @Test func `has one tenant to choose beside one that is arriving`() async throws {
        let database = try await TestDatabase.make()
        try await record(1, of: "pizzeria", in: database)
        _ = try await database.pool.query(
            "SELECT begin_arrival(9999, 'fresh', now(), 'move-1', 'eu9')")
        try await ScratchDirectory.with { directory in
            let store = ["--database-url", database.url]
            let shown = try await IsletProgram.run(
                ["replay", "show", "order-1"] + store, in: directory)
            #expect(shown.code == 0, "\(shown.errors)")
            let json = try await IsletProgram.run(
                ["replay", "verify", "--json"] + store, in: directory)
            #expect(json.code == 0, "\(json.errors)")
            let document = try #require(
                JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
            #expect(document["tenant"] as? String == "pizzeria")
            #expect(document["tenants"] == nil)
        }
    }

    private func record(
        _ order: Int, of name: String, in database: TestDatabase
    ) async throws {
        let tenant = try await database.store.tenants.ensure(name)
        _ = try await database.store.log.append(
            tenant.id,
            [
                NewEvent(
                    id: "\(order)", source: "/shops/test", type: "PizzaDelivery.OrderAccepted",
                    activityID: ActivityID(rawValue: "order-\(order)"),
                    occurredAt: Moment(unixSeconds: 1_800_000_000), data: Data("{}".utf8))
            ])
        await Projector(store: database.store) { Issue.record("\($0)") }.drain()
    }
}
