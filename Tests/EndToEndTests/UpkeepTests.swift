import Domain
import EventStore
import Foundation
import Pipeline
import Postgres
import Simulator
import TestSupport
import Testing

/// What an operator sees of projections, and does about them.
@Suite(.timeLimit(.minutes(5)))
struct `Looking after projections` {
    private func append(_ database: TestDatabase, _ type: String, _ data: String) async throws {
        let tenant = try await database.store.tenants.ensure("shop").id
        _ = try await database.store.log.append(
            tenant,
            [
                NewEvent(
                    id: UUID().uuidString, source: "/shop", type: "PizzaDelivery.\(type)",
                    activityID: ActivityID(rawValue: "order-1"), occurredAt: .timeOfDay,
                    data: Data(data.utf8))
            ])
    }

    private func fold(_ database: TestDatabase) async {
        let projector = Projector(store: database.store) { Issue.record("folding: \($0)") }
        await projector.drain()
    }

    @Test func `a node says once that nobody folds, and stays ready`() async throws {
        let database = try await TestDatabase.make()
        try await ScratchDirectory.with { directory in
            try await RunningServer.with(
                ["--role", "api", "--lag-seconds-max", "1", "--database-url", database.url],
                in: directory
            ) { server in
                try await append(database, "OrderAccepted", "{}")
                try await waitUntil("the node has noticed") {
                    server.program.errors.contains(" warning a checkpoint stands still")
                }
                let answer = try await server.curl("/readyz", in: directory)
                #expect(answer.status == 200, "\(answer.body)")
                #expect(answer.body.contains(#""store":{"status":"healthy""#), "\(answer.body)")
                await fold(database)
                try await waitUntil("the checkpoint moves again") {
                    server.program.errors.contains(" info the checkpoint moves again")
                }
                let log = server.program.errors
                #expect(log.components(separatedBy: "a checkpoint stands still").count == 2)
            }
        }
    }

    @Test func `a server runs the clock beside the projector`() async throws {
        let database = try await TestDatabase.make()
        let order = ActivityID(rawValue: "order-1")
        try await ScratchDirectory.with { directory in
            try await RunningServer.with(["--database-url", database.url], in: directory) { _ in
                try await append(database, "OrderAccepted", "{}")
                let tenant = try await database.store.tenants.ensure("shop").id
                try await waitUntil("the order is folded") {
                    try await database.store.projections.snapshot(tenant, order) != nil
                }
                let due = try await database.store.projections.snapshot(tenant, order)?.dueAt
                #expect(try #require(due) > .timeOfDay)
                _ = try await database.pool.query("UPDATE snapshot SET due_at = DEFAULT")
                try await waitUntil("the clock has written the time down again") {
                    try await database.store.projections.snapshot(tenant, order)?.dueAt == due
                }
            }
        }
    }

    @Test func `parked events are listed, retried and skipped from the command line`() async throws
    {
        let database = try await TestDatabase.make()
        try await append(database, "OrderAccepted", "{}")
        try await append(database, "DriverAssigned", #"{"driverName":7}"#)
        try await append(database, "OrderDelivered", "{}")
        await fold(database)
        try await ScratchDirectory.with { directory in
            func islet(_ words: String...) async throws -> IsletProgram.Result {
                try await IsletProgram.run(
                    ["projections"] + words + ["--database-url", database.url], in: directory)
            }
            let list = try await islet("list", "--json")
            #expect(list.code == 0, "\(list.errors)")
            #expect(list.output.contains(#""parked" : 2"#), "\(list.output)")
            #expect(list.output.contains(#""faulted" : 1"#))
            let parked = try await islet("parked", "--activity", "order-1")
            #expect(parked.output.contains("PizzaDelivery.DriverAssigned"), "\(parked.output)")
            #expect(parked.output.contains("an earlier event of the activity is parked"))
            let retried = try await islet("retry")
            #expect(retried.code == 1)
            #expect(retried.output.contains("order-1: 0 events released, 2 stay parked"))
            let unknown = try await islet("skip", "1")
            #expect(unknown.code == 1)
            #expect(unknown.errors.contains("no event is parked at position 1"))
            #expect(try await islet("skip", "first").code == 2)
            let waiting = try await islet("skip", "3")
            #expect(waiting.code == 1)
            #expect(waiting.errors.contains("waits behind the one at position 2"))
            let skipped = try await islet("skip", "2")
            #expect(skipped.code == 0, "\(skipped.errors)")
            #expect(skipped.output == "order-1: 1 event released, nothing stays parked\n")
            #expect(try await islet("retry").output == "Nothing is parked.\n")
            let sound = try await islet("retry", "--activity", "order-1")
            #expect(sound.code == 0 && sound.output == "Nothing is parked.\n")
            let nobody = try await islet("retry", "--activity", "order-7")
            #expect(nobody.code == 1)
            #expect(nobody.errors.contains("there is no activity 'order-7'"), "\(nobody.errors)")
            let table = try await islet("list", "--tenant", "shop")
            #expect(table.output.contains("shop"))
            #expect(try await islet("parked").output.contains("skipped"))
            let stranger = try await islet("list", "--tenant", "nobody")
            #expect(stranger.code == 1)
            #expect(stranger.errors.contains("there is no tenant \"nobody\""))
        }
    }

    @Test func `a skip has done its work, though another event of the activity stays parked`()
        async throws
    {
        let database = try await TestDatabase.make()
        try await append(database, "OrderAccepted", "{}")
        try await append(database, "DriverAssigned", #"{"driverName":7}"#)
        try await append(database, "DriverAssigned", #"{"driverName":8}"#)
        await fold(database)
        try await ScratchDirectory.with { directory in
            let skipped = try await IsletProgram.run(
                ["projections", "skip", "2", "--database-url", database.url], in: directory)
            #expect(skipped.code == 0, "\(skipped.errors)")
            #expect(skipped.output.contains("order-1: 0 events released, 1 stays parked ("))
        }
    }

    @Test func `a phone is sent the newest state once, when events are no longer parked`()
        async throws
    {
        try await WholeSystem.with { system in
            system.startSender()
            let phone = try await system.follow(Story.order)
            try await system.merchant.report(Story.placed())
            await fold(system.database)
            try await system.waitUntilSettled(versions: 1)
            try await system.merchant.report(Story.assigned())
            try await system.merchant.report(Story.event("OrderDelivered"))
            try await system.merchant.report(Story.event("OrderPickedUp"))
            // As a version of Islet does that does not understand the second event.
            _ = try await system.store.projections.foldNext(nil, 500) { batch in
                var batch = batch
                batch.events[0].event.data = Data("[]".utf8)
                return BatchFolder.fold(batch)
            }
            let repair = Repair(system.store, tenant: system.tenant)
            let result = try #require(try await repair.retry(nil).first)
            #expect(result.released == 3 && result.remaining == 0)
            try await system.waitUntilSettled(versions: 4)
            try await waitUntil("the card has ended") {
                system.card(on: phone)?.phase.isOver == true
            }
            let pushes = system.pushes(to: phone)
            #expect(pushes.last?.outcome == .ended)
            let alerts = system.card(on: phone)?.alerts
            #expect(alerts == 0)
            let verdicts = try await system.ledger().map(\.decision.verdict)
            #expect(verdicts.dropFirst() == [.hold, .hold, .end])
        }
    }
}
