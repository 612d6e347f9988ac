import Domain
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

/// Cells as an operator has them: the program, and servers on two databases.
@Suite(.timeLimit(.minutes(3)))
struct `A tenant that is moved by the program` {
    @Test func `is answered for by the other cell, and the old one says where it is`()
        async throws
    {
        let cells = (try await TestDatabase.make(), try await TestDatabase.make())
        try await ScratchDirectory.with { directory in
            let key = try await RunningServer.makeKey(in: cells.0)
            try await RunningServer.with(["--database-url", cells.1.url], in: directory) { there in
                try await name(cells, "http://127.0.0.1:\(there.port)", in: directory)
                try await RunningServer.with(["--database-url", cells.0.url], in: directory) {
                    here in
                    #expect(
                        try await here.post(Self.placed, key: key, in: directory).status == 201)
                    let moved = try await move("shop", cells, ["--json"], in: directory)
                    try #require(moved.code == 0, "\(moved.errors)")
                    let said = try #require(
                        JSONSerialization.jsonObject(with: Data(moved.output.utf8))
                            as? [String: Any])
                    #expect(said["cell"] as? String == "eu2")
                    #expect(said["rows"] as? Int ?? 0 > 0)

                    let asked = try await here.curl(
                        "/v1/activities/order-1", key: key, ["--include"], in: directory)
                    #expect(asked.status == 307, "\(asked.body)")
                    #expect(
                        asked.body.lowercased().contains(
                            "location: http://127.0.0.1:\(there.port)/v1/activities/order-1"))
                    let found = try await there.curl(
                        "/v1/activities/order-1", key: key, in: directory)
                    #expect(found.status == 200, "\(found.body)")
                    let again = try await there.post(Self.placed, key: key, in: directory)
                    #expect(again.status == 200, "\(again.body)")
                }
            }
            let tenants = try await islet(["tenants", "list"], cells.0, in: directory)
            #expect(tenants.output.contains("moved to eu2") == false, "\(tenants.output)")
            let acts = try await islet(["audit", "--tenant", "shop"], cells.0, in: directory)
            #expect(acts.code == 1 && acts.errors.contains("moved to the cell eu2"), "\(acts)")
            for words in [
                ["keys", "list", "--tenant", "shop"], ["tenants", "limits", "shop"],
                ["projections", "list", "--tenant", "shop"],
                ["replay", "show", "order-1", "--tenant", "shop"],
            ] {
                let refused = try await islet(words, cells.0, in: directory)
                #expect(refused.code == 1, "\(refused.output)")
                #expect(refused.errors.contains("has moved to the cell eu2"), "\(refused.errors)")
            }
            let back = try await move("shop", (cells.1, cells.0), in: directory)
            #expect(back.code == 0 && back.errors.contains("in cell eu1"), "\(back.errors)")
        }
    }

    @Test func `needs cells with names, and a tenant that is there`() async throws {
        let cells = (try await TestDatabase.make(), try await TestDatabase.make())
        try await ScratchDirectory.with { directory in
            _ = try await cells.0.store.tenants.ensure("shop")
            func complaint(_ name: String, _ options: [String] = []) async throws -> String {
                let refused = try await move(name, cells, options, in: directory)
                #expect(refused.code == 1, "\(refused.output)")
                return refused.errors
            }
            #expect(try await complaint("shop").contains("islet cells set"))
            try await name(cells, "https://eu2.example.com", in: directory)
            #expect(try await complaint("shp").contains("shop"))
            #expect(try await complaint("shop", ["--cancel"]).contains("nothing to cancel"))
            let same = try await move("shop", (cells.0, cells.0), in: directory)
            #expect(same.code == 1 && same.errors.contains("same database"), "\(same.errors)")
            let nowhere = try await islet(["tenants", "move", "shop"], cells.0, in: directory)
            #expect(nowhere.code == 2 && nowhere.errors.contains("--to-url-file"))
            let listed = try await islet(["cells", "list"], cells.0, in: directory)
            #expect(listed.output.contains("https://eu2.example.com"), "\(listed.output)")
            let file = directory.file("away")
            try Data("postgresql://127.0.0.1:1/away".utf8).write(to: URL(filePath: file))
            let away = try await islet(
                ["tenants", "move", "shop", "--to-url-file", file], cells.0, in: directory)
            #expect(away.code == 1)
            #expect(away.errors.contains("the other cell: cannot reach Postgres"), "\(away.errors)")
            #expect(away.errors.contains("check --to-url-file"), "\(away.errors)")
        }
    }

    @Test func `has no figures when it had left before`() async throws {
        let cells = (try await TestDatabase.make(), try await TestDatabase.make())
        try await ScratchDirectory.with { directory in
            try await name(cells, "https://eu2.example.com", in: directory)
            _ = try await cells.0.store.tenants.ensure("shop")
            let moved = try await move("shop", cells, in: directory)
            #expect(moved.errors.contains(" rows, fenced for "), "\(moved.errors)")
            // As a process that was killed then leaves it.
            _ = try await cells.0.pool.query(
                """
                INSERT INTO tenant_move (tenant, name, move, state, cell)
                SELECT tenant, name, 'm', 'gone', cell FROM departed_tenant
                """)
            let settled = try await move("shop", cells, in: directory)
            #expect(settled.code == 0, "\(settled.errors)")
            #expect(settled.errors.contains("Tenant shop is in cell eu2."), "\(settled.errors)")
        }
    }

    @Test func `is looked for in both cells beforehand`() async throws {
        let cells = (try await TestDatabase.make(), try await TestDatabase.make())
        try await ScratchDirectory.with { directory in
            try await name(cells, "https://eu2.example.com", in: directory)
            let agree = try await check(cells, in: directory)
            #expect(agree.code == 0 && agree.output.contains("agree"), "\(agree.errors)")
            for database in [cells.0, cells.1] {
                _ = try await database.store.tenants.ensure("shop")
            }
            let differ = try await check(cells, in: directory)
            #expect(differ.code == 1, "\(differ.errors)")
            #expect(differ.output.contains("Both cells have a tenant shop"), "\(differ.output)")
            let told = try await check(cells, ["--json"], in: directory)
            #expect(told.output.contains("\"same-tenant\""), "\(told.output)")
            let nowhere = try await islet(["cells", "check"], cells.0, in: directory)
            #expect(nowhere.code == 2 && nowhere.errors.contains("--to-url-file"))
        }
    }

    @Test func `is known for one by both cells when a backup has brought it back`() async throws {
        let cells = (try await TestDatabase.make(), try await TestDatabase.make())
        try await ScratchDirectory.with { directory in
            try await name(cells, "https://eu2.example.com", in: directory)
            let shop = try await cells.0.store.tenants.ensure("shop").id
            let made = try await cells.0.pool.query(
                "SELECT created_at::text FROM tenant WHERE id = $1", [.int4(shop.rawValue)])
            _ = try await cells.1.pool.query(
                """
                INSERT INTO tenant (id, name, created_at) OVERRIDING SYSTEM VALUE
                VALUES ($1, 'shop', $2::text::timestamptz)
                """, [.int4(shop.rawValue), .text(made[0].text(0))])
            let checked = try await check(cells, in: directory)
            #expect(checked.code == 1, "\(checked.errors)")
            #expect(
                checked.output.contains("The same tenant shop is in both cells."),
                "\(checked.output)")
            let listed = try await check(cells, ["--json"], in: directory)
            #expect(listed.output.contains("\"tenant-in-both\""), "\(listed.output)")
        }
    }

    @Test func `is named by every command that looks, if nobody goes on with its move`()
        async throws
    {
        let cells = (try await TestDatabase.make(), try await TestDatabase.make())
        try await ScratchDirectory.with { directory in
            try await name(cells, "https://eu2.example.com", in: directory)
            let shop = try await cells.0.store.tenants.ensure("shop").id
            // As a process that was killed leaves it.
            _ = try await cells.0.pool.query(
                """
                INSERT INTO tenant_move (tenant, name, move, state, cell)
                VALUES ($1, 'shop', 'm', 'leaving', 'eu2')
                """, [.int4(shop.rawValue)])
            let listed = try await islet(["tenants", "list"], cells.0, in: directory)
            #expect(listed.output.contains("leaving for eu2; stands still"), "\(listed.output)")
            let checked = try await check(cells, in: directory)
            #expect(checked.code == 1, "\(checked.errors)")
            #expect(checked.output.contains("the move of shop to cell eu2 stands still"))
            #expect(checked.output.contains("Here: islet tenants move 'shop'"))
            let looked = try await islet(["doctor"], cells.0, in: directory)
            #expect(looked.code == 1 && looked.output.contains("the move of shop to cell eu2"))
            let removed = try await islet(
                ["tenants", "remove", "shop", "--to", directory.file("archive"), "--yes"], cells.0,
                in: directory)
            #expect(removed.code == 1)
            #expect(
                removed.errors.contains("is moving (leaving for eu2; stands still): end that"),
                "\(removed.errors)")
            let ended = try await move("shop", cells, ["--cancel"], in: directory)
            #expect(ended.code == 0, "\(ended.errors)")
            let agree = try await check(cells, in: directory)
            #expect(agree.code == 0, "\(agree.output)")
        }
    }

    private static let placed =
        #"{"specversion":"1.0","id":"1","source":"/test","subject":"order-1","#
        + #""type":"PizzaDelivery.OrderPlaced","data":{"orderNumber":"7","#
        + #""numberOfPizzas":2,"totalAmount":"$3","promisedAt":"2099-01-15T19:00:00Z"}}"#

    private func name(
        _ cells: (TestDatabase, TestDatabase), _ url: String, in directory: ScratchDirectory
    ) async throws {
        for (words, database) in [
            (["eu1", "--here", "--number", "1"], cells.0),
            (["eu2", "--here", "--number", "2", "--url", url], cells.1),
            (["eu2", "--url", url], cells.0),
        ] {
            let named = try await islet(["cells", "set"] + words, database, in: directory)
            try #require(named.code == 0, "\(named.errors)")
        }
    }

    /// From the first to the second.
    private func move(
        _ name: String, _ cells: (TestDatabase, TestDatabase), _ options: [String] = [],
        in directory: ScratchDirectory
    ) async throws -> IsletProgram.Result {
        try await islet(
            ["tenants", "move", name, "--to-url-file", try file(cells.1, in: directory)] + options,
            cells.0, in: directory)
    }

    private func check(
        _ cells: (TestDatabase, TestDatabase), _ options: [String] = [],
        in directory: ScratchDirectory
    ) async throws -> IsletProgram.Result {
        try await islet(
            ["cells", "check", "--to-url-file", try file(cells.1, in: directory)] + options,
            cells.0, in: directory)
    }

    /// With the database's URL.
    private func file(
        _ database: TestDatabase, in directory: ScratchDirectory
    ) throws -> String {
        let file = directory.file("target-\(UUID().uuidString)")
        try Data(database.url.utf8).write(to: URL(filePath: file))
        return file
    }

    private func islet(
        _ words: [String], _ database: TestDatabase, in directory: ScratchDirectory
    ) async throws -> IsletProgram.Result {
        try await IsletProgram.run(words + ["--database-url", database.url], in: directory)
    }
}
