import Domain
import Foundation
import IsletActivities
import IsletClient
import Simulator
import TestSupport
import Testing

extension WholeSystem {
    fileprivate func backend() throws -> BackendClient {
        BackendClient(
            server: try #require(URL(string: "http://127.0.0.1:\(port)")),
            key: Secret("islet_end_to_end"))
    }

    /// The app of this simulated phone, with its backend behind it.
    fileprivate func app(_ backend: BackendClient) throws -> CardKeeper {
        CardKeeper(
            server: try #require(URL(string: "http://127.0.0.1:\(port)")),
            profile: AppProfile(
                bundleID: simulator.bundleID, environment: .sandbox, locale: "en", osMajor: 18),
            store: nil, tickets: { try await backend.ticket(for: $0).ticket },
            handOver: { try await backend.put($0) })
    }

    fileprivate func event(
        _ id: String, _ type: String, _ data: any Encodable & Sendable = [String: String](),
        expectedVersion: Int64? = nil
    ) -> IsletClient.Event {
        IsletClient.Event(
            id: id, source: "/shops/test", type: "PizzaDelivery.\(type)", activity: Story.order,
            time: Date(), data: data, expectedVersion: expectedVersion)
    }

    fileprivate var placed: IsletClient.Event {
        struct Placed: Encodable {
            var orderNumber = "7"
            var numberOfPizzas = 2
            var totalAmount = "€24.00"
            var promisedAt = Date(timeIntervalSinceNow: 2400)
        }
        return event("1", "OrderPlaced", Placed())
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `The client` {
    @Test func `keeps a card up to date from its first token to its dismissal`() async throws {
        try await WholeSystem.working { system in
            let backend = try system.backend()
            let app = try system.app(backend)
            let order = ActivityID(rawValue: Story.order)
            try await backend.report(system.placed)
            let (phone, given) = try system.simulator.simulator.addPhone(
                named: "Ann", starting: ActivityStart(kind: "PizzaDelivery", activity: order))
            let token = try #require(given)
            await app.card("card", of: Story.order, hasToken: Secret(token.hex))
            await app.settle()
            try await backend.report(system.event("2", "DriverAssigned", ["driverName": "Ada"]))
            try await waitUntil("the driver is announced") {
                system.card(on: phone)?.lastAlert?.body == "Ada will bring your 2 pizzas."
            }
            let shown = try await backend.card(
                of: Story.order, as: PizzaDeliveryAttributes.self)
            #expect(shown?.contentState.driverName == "Ada" && shown?.hasEnded == false)

            let (_, next) = try system.simulator.simulator.rotate(order, on: phone)
            await app.card("card", of: Story.order, hasToken: Secret(next.hex))
            await app.settle()
            try await backend.report(system.event("3", "OrderPickedUp"))
            try await waitUntil("the new token is sent to") {
                system.screen(on: phone).contains { $0.contains("on the way") }
            }

            try system.simulator.simulator.dismiss(order, on: phone)
            await app.card("card", of: Story.order, became: .dismissed)
            await app.card(
                "another", of: Story.order, hasToken: Secret(String(repeating: "ab", count: 80)))
            await app.settle()
            var news: [CardNews] = []
            for await piece in app.news {
                news.append(piece)
                if case .closed = piece { break }
            }
            #expect(
                news == [
                    .registered(activity: Story.order), .registered(activity: Story.order),
                    .reported(activity: Story.order, .dismissed),
                    .closed(activity: Story.order, by: "dismissed"),
                ])
            let warnings = system.simulator.simulator.log(of: phone).flatMap(\.warnings)
            #expect(warnings == [])
        }
    }

    @Test func `reports once what it sends twice, and nothing on a version that has moved on`()
        async throws
    {
        try await WholeSystem.working { system in
            let backend = try system.backend()
            let placed = system.placed
            #expect(try await backend.report(placed).outcome == .recorded)
            let again = try await backend.report(placed)
            #expect(again.outcome == .alreadyKnown && again.version == 1)
            let error = await #expect(throws: ClientError.self) {
                try await backend.report(
                    system.event("2", "OrderReady", expectedVersion: 0))
            }
            #expect(error?.problem == .versionConflict)
            let batch = [
                system.event("3", "OrderAccepted", expectedVersion: 1),
                system.event("4", "DriverLocated", ["distanceMeters": -1]),
            ]
            let refused = await #expect(throws: ClientError.self) {
                try await backend.report(batch)
            }
            guard case .refused(let problem) = refused else {
                Issue.record("\(String(describing: refused))")
                return
            }
            #expect(problem.name == .invalidEventData)
            #expect(problem.faults.map(\.pointer) == ["/1/data/distanceMeters"])
            let receipts = try await backend.reportEach(batch)
            #expect(receipts.map(\.outcome) == [.recorded, .refused])
            #expect(try await system.head() == 2)
        }
    }

    @Test func `hands over start tokens, and the card that a push starts follows the order`()
        async throws
    {
        try await WholeSystem.working { system in
            let backend = try system.backend()
            let app = try system.app(backend)
            let phone = try system.simulator.simulator.addPhone(named: "Ann")
            var events = system.simulator.simulator.events().makeAsyncIterator()
            let token = try system.simulator.simulator.startToken(for: "PizzaDelivery", on: phone)
            await app.canStart(
                PizzaDeliveryAttributes.kind, with: Secret(token.hex), topics: ["customer:42"])
            await app.settle()
            try await backend.putAudience(of: Story.order, topics: ["customer:42"])
            try await backend.report(system.placed)
            let update = try #require(await events.nextUpdateToken())
            await app.card("started", of: Story.order, hasToken: Secret(update.hex))
            await app.settle()
            try await backend.report(system.event("2", "DriverAssigned", ["driverName": "Ada"]))
            try await waitUntil("the driver is shown on the started card") {
                system.simulator.simulator.phone(phone)?.activities.first?.lastAlert?.body
                    == "Ada will bring your 2 pizzas."
            }
            #expect(
                try await backend.card(of: "order-unknown", as: MatchAttributes.self) == nil)
        }
    }

    @Test func `asks before it starts a card that listens to a channel`() async throws {
        try await WholeSystem.working { system in
            let backend = try system.backend()
            let app = try system.app(backend)
            #expect(try await app.following(Story.order) == .pushToken)
            try await backend.putChannel(
                of: Story.order, bundleID: system.simulator.bundleID, environment: .sandbox)
            try await waitUntil("the channel is open") {
                // A ticket is good for 20 requests a second.
                try await Task.sleep(for: .milliseconds(200))
                guard case .channel = try await app.following(Story.order) else { return false }
                return true
            }
            await app.cardListens("card", of: Story.order)
            await app.card("card", of: Story.order, became: .dismissed)
            await app.settle()
            #expect(try await app.following(Story.order) == .nothing)
        }
    }
}
