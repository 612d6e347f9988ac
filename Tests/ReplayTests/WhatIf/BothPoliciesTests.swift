import Domain
import Foundation
import Projections
import Testing

@testable import Replay

/// An order whose driver is assigned, reassigned and delivers.
private func story() throws -> [RecordedEvent] {
    let told: [(String, String)] = [
        (
            "OrderPlaced",
            #"{"orderNumber":"7","numberOfPizzas":2,"totalAmount":"$3","#
                + #""promisedAt":"2027-01-15T19:00:00Z"}"#
        ),
        ("DriverAssigned", #"{"driverName":"Ada"}"#), ("OrderDelivered", "{}"),
    ]
    return told.enumerated().map { index, event in
        let at = Moment(unixSeconds: 1_800_000_000 + Int64(index) * 600)
        return RecordedEvent(
            tenant: TenantID(rawValue: 1), position: Int64(index) + 1, version: Int64(index) + 1,
            recordedAt: at,
            event: NewEvent(
                id: "\(index)", source: "/test", type: "PizzaDelivery.\(event.0)",
                activityID: ActivityID(rawValue: "order-7"), occurredAt: at,
                data: Data(event.1.utf8)))
    }
}

private func book(_ rules: [String: String]) throws -> PolicyBook {
    try book(PolicyDocument(rules: rules))
}

private func book(_ document: PolicyDocument) throws -> PolicyBook {
    var book = PolicyBook.builtIn
    book.add(
        try ActivityCatalog.standard.policy(ofKind: "PizzaDelivery", document, version: 1),
        ofKind: "PizzaDelivery", fromPosition: 0)
    return book
}

private func run(
    _ events: [RecordedEvent], own: PolicyBook = .builtIn, tried: PolicyBook,
    skipped: Set<Int64> = [], pageEvents: Int = 2
) -> BothPolicies.Result {
    let both = BothPolicies(
        PolicyPair(own: own, tried: tried, kinds: ["PizzaDelivery"]), alertsListed: 50)
    for start in stride(from: 0, to: events.count, by: pageEvents) {
        let page = Array(events.dropFirst(start).prefix(pageEvents))
        guard both.take(page, without: skipped) else { break }
    }
    return both.result
}

@Suite struct `A policy that is tried on one activity` {
    @Test func `shows the alerts that go, and those that stay`() throws {
        let trial = run(try story(), tried: try book(["driverAssigned": "timely"]))
        #expect(trial.alertsBefore.contains { $0.version == 2 && !$0.alert.title.isEmpty })
        #expect(!trial.alertsAfter.contains { $0.version == 2 })
        #expect(trial.changes.removed == 1 && trial.changes.added == 0)
        #expect(trial.alertsBefore.filter { $0.version != 2 } == trial.alertsAfter)
        #expect(!trial.isLeftOut)
    }

    @Test func `changes nothing when it says the same`() throws {
        let trial = run(try story(), tried: .builtIn)
        #expect(trial.changes.total == 0 && trial.alertsBefore == trial.alertsAfter)
        #expect(trial.before == trial.after)
    }

    @Test func `ends at an event that cannot be folded`() throws {
        var events = try story()
        events[1].event.data = Data(#"{"driverName":7}"#.utf8)
        let trial = run(events, tried: .builtIn)
        #expect(trial.isLeftOut && trial.alertsBefore.allSatisfy { $0.version < 2 })
        #expect(run([], tried: .builtIn).alertsBefore.isEmpty)
    }

    @Test func `goes on after an event of another kind, and after one that is skipped`() throws {
        let tried = try book(["delivered": "timely"])
        var events = try story()
        events[1].event.type = "CoffeeDelivery.BrewingStarted"
        events[1].event.data = Data("{}".utf8)
        let foreign = run(events, tried: tried)
        #expect(!foreign.isLeftOut && foreign.changes.removed == 1)
        events = try story()
        events[1].event.data = Data(#"{"driverName":7}"#.utf8)
        let skipped = run(events, tried: tried, skipped: [2])
        #expect(!skipped.isLeftOut && skipped.changes.removed == 1)
        events = try story()
        events[0].event.data = Data("{}".utf8)
        // What is left begins with a driver.
        let headless = run(events, tried: try book(["driverAssigned": "none"]), skipped: [1])
        #expect(!headless.isLeftOut && headless.before.decisions > headless.after.decisions)
    }

    @Test func `is found to say something else in one language only`() throws {
        var document = PolicyDocument()
        document.texts = ["de": ["driverAssigned.title": .plain("Los gehts")]]
        let trial = run(try story(), tried: try book(document))
        #expect(trial.changes == WhatIfReport.Changes(reworded: 1))
        let german = Language("de")
        #expect(trial.alertsAfter.first?.alert.translations[german]?.title == "Los gehts")
        document = PolicyDocument()
        document.words = "keys"
        let byKeys = run(try story(), tried: try book(document))
        #expect(byKeys.changes.reworded == byKeys.before.alerts)
        #expect(byKeys.before.bytes != byKeys.after.bytes)
    }

    @Test func `says which alerts quiet hours would still keep back`() throws {
        var document = PolicyDocument()
        document.quietHours = PolicyDocument.Hours(from: "00:00", to: "23:59", timeZone: "UTC")
        let pair = PolicyPair(
            own: .builtIn, tried: try book(document), kinds: ["PizzaDelivery"])
        #expect(pair.triedInPart == ["PizzaDelivery": ["quietHours"]])
        let trial = run(Array(try story().prefix(2)), tried: try book(document))
        #expect(trial.changes == WhatIfReport.Changes(keptBack: 1))
    }

    @Test func `says which thresholds only the clock could try`() throws {
        var document = PolicyDocument()
        document.thresholds = ["overdueStepSeconds": 60, "delayStepSeconds": 900]
        let pair = PolicyPair(
            own: .builtIn, tried: try book(document), kinds: ["PizzaDelivery", "Match"])
        #expect(pair.triedInPart == ["PizzaDelivery": ["overdueStepSeconds"]])
    }

    /// Translations take a while in each decision that alerts.
    @Test func `is put into other languages only where the policies' texts differ`() throws {
        var document = PolicyDocument()
        document.texts = ["de": ["driverAssigned.title": .plain("Los gehts")]]
        let own = try book(document)
        document.rules = ["driverAssigned": "timely"]
        let pair = PolicyPair(own: own, tried: try book(document), kinds: ["PizzaDelivery"])
        #expect(!pair.kindsReworded.contains("PizzaDelivery"))
        let other = PolicyPair(own: own, tried: .builtIn, kinds: ["PizzaDelivery"])
        #expect(other.kindsReworded.contains("PizzaDelivery"))
    }
}
