import Domain
import EventStore
import Foundation
import JSON
import Pipeline
import Testing

@testable import API

@Test func `why says what happened, what was decided and with what result`() async throws {
    let api = await Harness()
    _ = try await api.post(SampleEvents.placed("o-1"))
    _ = try await api.post(SampleEvents.assigned("o-1", driver: "Ada"))
    try await api.fake.fold(Harness.mine)
    let answer = try await api.get("/v1/activities/o-1/why?version=2")
    #expect(answer.status == 200)
    let json = try answer.json()
    let text = json["sentences"]?.elements.compactMap(\.text).joined(separator: " ") ?? ""
    #expect(text.contains("PizzaDelivery.DriverAssigned"))
    #expect(text.contains(#"driverName from "Your driver" to "Ada""#))
    #expect(text.contains("“Driver assigned” – “Ada will bring"))
    #expect(text.contains("The rule “driverAssigned” of the built-in policy"))
    #expect(text.contains("APNs accepted it for 2 of 3 phones, and not for 1"))
    #expect(!text.contains("A later push"))
    let fate = json["decision"]?["outcomeText"]?.text ?? ""
    #expect(text.contains(fate) && !fate.isEmpty)
    #expect(json["decision"]?["verdictText"]?.text == "alert")
    #expect(text.contains("Nothing went to others: 1 card had been swiped away, and stays so."))
    #expect(json["changes"]?.elements.first?["member"]?.text == "driverName")
    #expect(json["decision"]?["verdict"]?.text == "alert")
    #expect(json["decision"]?["presentation"]?["lockScreen"]?.elements.isEmpty == false)
    let newest = try await api.get("/v1/activities/o-1/why").json()
    #expect(newest["version"] == .integer(2))
}

@Test func `why finds the result of words that did not go out by themselves`() async throws {
    let api = await Harness()
    let order = ActivityID(rawValue: "o-1")
    _ = try await api.post(SampleEvents.placed("o-1"))
    for driver in ["Ada", "Bo"] {
        _ = try await api.post(SampleEvents.assigned("o-1", driver: driver, id: driver))
    }
    try await api.fake.fold(Harness.mine)
    func text() async throws -> String {
        let json = try await api.get("/v1/activities/o-1/why?version=2").json()
        return json["sentences"]?.elements.compactMap(\.text).joined(separator: " ") ?? ""
    }
    #expect(try await !text().contains("words"))
    await api.fake.revise(Harness.mine, order, 2) { $0.outcome?.carriedBy = 3 }
    #expect(try await text().contains("version 3 withdrew it before the push"))
    await api.fake.revise(Harness.mine, order, 3) { $0.decision.alertContext = nil }
    #expect(try await text().contains("push of version 3 sent its text together"))
    await api.fake.revise(Harness.mine, order, 2) { row in
        row.decision.alert = nil
        row.decision.alertContext?.silence = .quietHours
    }
    #expect(try await text().contains("it has not been sent yet"))
    await api.fake.revise(Harness.mine, order, 3) { row in
        row.decision.alertContext = AlertContext()
        row.decision.alertContext?.carried = [
            KeptBackAlert(
                version: 2, alert: Alert(title: "T", body: "B"), alertContext: AlertContext())
        ]
        row.decision.alertContext?.dropped = [1]
    }
    #expect(try await text().contains("version 3 sends it"))
    let ledger = try await api.get("/v1/activities/o-1/decisions?after=1").json()
    let rows = ledger["decisions"]?.elements ?? []
    #expect(rows.first?["news"]?["silence"]?.text == "quietHours")
    #expect(rows.first?["outcomeText"]?.text?.contains("version 3 sends it") == true)
    #expect(try await api.get("/v1/activities/o-1/why?version=2").json()["decision"] == rows.first)
    #expect(rows.last?["news"]?["carried"]?.elements.first?["version"] == .integer(2))
    #expect(rows.last?["news"]?["dropped"]?.elements == [.integer(1)])
}

@Test func `why of what is not folded yet says so`() async throws {
    let api = await Harness()
    _ = try await api.post(SampleEvents.placed("o-1"))
    try await api.fake.fold(Harness.mine)
    _ = try await api.post(SampleEvents.assigned("o-1", driver: "Ada"))
    let json = try await api.get("/v1/activities/o-1/why?version=2").json()
    #expect(json["sentences"]?.elements.last?.text?.contains("not folded yet") == true)
    #expect(json["event"]?["type"]?.text == "PizzaDelivery.DriverAssigned")
}

@Test func `why of an ended activity is about what mattered last, not about the dismissal`()
    async throws
{
    let api = try await PostgresAPI.make()
    for (number, type) in ["OrderDelivered", "DriverLocated"].enumerated() {
        _ = try await api.store.log.append(
            api.tenant,
            [
                NewEvent(
                    id: "\(number)", source: "/test", type: "PizzaDelivery.\(type)",
                    activityID: ActivityID(rawValue: "order-1"),
                    occurredAt: Moment(unixSeconds: 1_800_000_000),
                    data: Data((number == 0 ? "{}" : #"{"distanceMeters":5}"#).utf8))
            ])
    }
    while try await api.store.projections.foldNext(nil, 100, BatchFolder.fold) != nil {}
    let newest = try await api.call("GET", "/v1/activities/order-1/why").json()
    #expect(newest["version"] == .integer(1))
    #expect(newest["decision"]?["verdict"]?.text == "end")
    let late = try await api.call("GET", "/v1/activities/order-1/why?version=2").json()
    #expect(late["decision"]?["rule"]?.text == "afterEnd")
}

@Test func `why of what is parked says so, and with no version names the cause`() async throws {
    let api = try await PostgresAPI.make()
    let data = [#"{}"#, #"{"driverName":7}"#, #"{"distanceMeters":5}"#]
    for (number, type) in ["OrderAccepted", "DriverAssigned", "DriverLocated"].enumerated() {
        _ = try await api.store.log.append(
            api.tenant,
            [
                NewEvent(
                    id: "\(number)", source: "/test", type: "PizzaDelivery.\(type)",
                    activityID: ActivityID(rawValue: "order-1"),
                    occurredAt: Moment(unixSeconds: 1_800_000_000), data: Data(data[number].utf8))
            ])
    }
    while try await api.store.projections.foldNext(nil, 100, BatchFolder.fold) != nil {}
    func text(_ query: String) async throws -> String {
        let json = try await api.call("GET", "/v1/activities/order-1/why\(query)").json()
        return json["sentences"]?.elements.compactMap(\.text).joined(separator: " ") ?? ""
    }
    #expect(try await text("").contains("It is parked: /data/driverName: must be a string"))
    #expect(try await text("?version=3").contains("an earlier event of the activity is parked"))
    #expect(try await text("?version=1").contains("The rule “accepted” of the built-in policy"))
}

@Test func `why of no activity, no version and no number has its problem`() async throws {
    let api = await Harness()
    try await api.get("/v1/activities/o-1/why").expectProblem(.unknownActivity)
    _ = try await api.post(SampleEvents.placed("o-1"))
    try await api.fake.fold(Harness.mine)
    try await api.get("/v1/activities/o-1/why?version=9").expectProblem(.unknownVersion)
    try await api.get("/v1/activities/o-1/why?version=0").expectProblem(.invalidParameter)
}
