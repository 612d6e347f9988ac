import Domain
import EventStore
import HTTP
import JSON
import Testing

@testable import API

private func deliver(_ api: Harness, _ order: String) async throws {
    _ = try await api.post(
        SampleEvents.event(
            id: "done-\(order)", type: "PizzaDelivery.OrderDelivered", subject: order, data: "{}"))
    try await api.fake.fold(Harness.mine)
}

@Test(.timeLimit(.minutes(1)))
func `a filtered stream tells what passes and nothing of other kinds`() async throws {
    let api = await Harness(limits: .patient)
    try await api.place("o-1")
    _ = try await api.post(SampleEvents.scheduled("m-1", competition: "Cup"))
    _ = try await api.post(SampleEvents.kickedOff("m-1"))
    try await api.fake.fold(Harness.mine)
    var reader = try StreamReader(try await api.get("/v1/stream?kind=Match").response)
    let first = try await reader.next()
    #expect(first?.data?["activity"]?["id"]?.text == "m-1")
    #expect(try await reader.next()?.event == "ready")
    async let change = reader.next()
    try await api.place("o-2")
    _ = try await api.post(SampleEvents.scheduled("m-2", competition: "Cup"))
    try await api.fake.fold(Harness.mine)
    #expect(try await change?.data?["activity"]?["id"]?.text == "m-2")
}

@Test(.timeLimit(.minutes(1)))
func `a stream tells of activities that leave its filter`() async throws {
    let api = await Harness(limits: .patient)
    try await api.place("o-1")
    try await api.place("o-2")
    try await deliver(api, "o-2")
    var reader = try StreamReader(try await api.get("/v1/stream?phase=live").response)
    // What had ended before the stream began is not told as having left.
    #expect(try await reader.next()?.id == 1)
    #expect(try await reader.next()?.event == "ready")
    async let change = reader.next()
    try await deliver(api, "o-1")
    let left = try await change
    #expect(left?.event == "removed")
    #expect(left?.data?["id"]?.text == "o-1")
    #expect(left?.data?["phase"]?.text == "ended")
    // A client that comes back after a break gets it as well.
    let back = try await api.call(
        "GET", "/v1/stream?phase=live", headers: [("last-event-id", "2")])
    var other = try StreamReader(back.response)
    #expect(try await other.next()?.event == "removed")
    #expect(try await other.next()?.event == "removed")
}

@Test(.timeLimit(.minutes(1)))
func `there is no gap between the first page and the stream`() async throws {
    let api = await Harness(limits: .patient)
    for order in ["o-1", "o-2"] { try await api.place(order) }
    let page = try await api.get("/v1/activities?phase=live").json()
    guard case .number(let position) = page["position"] else {
        Issue.record("the page has no position")
        return
    }
    // Between the two requests.
    try await api.place("o-3")
    try await deliver(api, "o-1")
    var reader = try StreamReader(
        try await api.get("/v1/stream?phase=live&after=\(position)").response)
    #expect(try await reader.next()?.data?["activity"]?["id"]?.text == "o-3")
    #expect(try await reader.next()?.data?["id"]?.text == "o-1")
    #expect(try await reader.next()?.event == "ready")
}

@Test(.timeLimit(.minutes(1)))
func `silence of a filtered stream moves the id on`() async throws {
    var limits = APILimits.patient
    limits.streamHeartbeatSeconds = 0.02
    let api = await Harness(limits: limits)
    var reader = try StreamReader(try await api.get("/v1/stream?kind=Match").response)
    #expect(try await reader.next()?.event == "ready")
    try await api.place("o-1")
    var message = try await reader.next(comments: true)
    while message == Message() { message = try await reader.next(comments: true) }
    #expect(message == Message(id: 1))
}

@Test(.timeLimit(.minutes(1)))
func `what leaves while a stream lists what passes is sent as well`() async throws {
    let api = await Harness(limits: .patient)
    for number in 1...120 {
        _ = try await api.post(SampleEvents.placed("o-\(number)", id: "\(number)"))
    }
    try await api.fake.fold(Harness.mine)
    var reader = try StreamReader(try await api.get("/v1/stream?phase=live").response)
    #expect(try await reader.next()?.data?["activity"]?["id"]?.text == "o-1")
    // The next page is read only after this.
    try await deliver(api, "o-1")
    try await api.place("new")
    var told: [String?] = []
    var ids: [Int64] = []
    var left: [String?] = []
    while let message = try await reader.next(), message.event != "ready" {
        ids.append(message.id ?? 0)
        if message.event == "removed" { left.append(message.data?["id"]?.text) }
        if message.event == "activity" { told.append(message.data?["activity"]?["id"]?.text) }
    }
    #expect(left == ["o-1"])
    #expect(told.count >= 120)
    #expect(told.contains("new"))
    // A client that breaks off anywhere goes on from an id that misses nothing.
    #expect(ids == ids.sorted())
}
