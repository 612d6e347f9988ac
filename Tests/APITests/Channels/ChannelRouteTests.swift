import Domain
import EventStore
import JSON
import Testing

@testable import API

private let path = "/v1/activities/o-1/channels/com.example"

private func listener(_ osMajor: Int = 18, installation: String = "one") -> String {
    """
    {"bundleId":"com.example","environment":"sandbox","installation":"\(installation)",\
    "osMajor":\(osMajor)}
    """
}

extension Harness {
    fileprivate func want(_ body: String = #"{"environment":"sandbox"}"#) async throws -> Answer {
        try await call("PUT", path, body: body, type: "application/json")
    }

    fileprivate func ask(_ body: String = listener()) async throws -> Answer {
        try await call(
            "POST", "/v1/activities/o-1/channel", body: body, type: "application/json")
    }

    fileprivate func register(_ digits: String) async throws -> Answer {
        let token = String(repeating: digits, count: 32)
        return try await call(
            "POST", "/v1/activities/o-1/registrations",
            body: """
                {"pushToken":"\(token)","environment":"sandbox","bundleId":"com.example",\
                "installation":"one"}
                """, type: "application/json")
    }

    fileprivate func served() async -> Int {
        let key = FakeStore.Key(tenant: Harness.mine, activity: ActivityID(rawValue: "o-1"))
        return await fake.tokens[key]?.count ?? 0
    }
}

struct `A backend` {
    @Test func `asks for a channel up front, as often as it likes`() async throws {
        let api = await Harness()
        let first = try await api.want()
        #expect(first.status == 201)
        #expect(try first.json()["state"]?.text == "wanted")
        #expect(try first.json()["storagePolicy"]?.text == "none")
        #expect(try first.json().names.contains("channelId"))
        #expect(try first.json()["listeners"] == .integer(0))
        #expect(try await api.want().status == 200)
        try await api.want(#"{"environment":"sandbox","storagePolicy":"newest"}"#)
            .expectProblem(.channelConflict, pointers: ["/storagePolicy"])
    }

    @Test func `sees the channels of an activity, or that there is none`() async throws {
        let api = await Harness()
        #expect(try await api.get(path).json()["channels"]?.elements.isEmpty == true)
        _ = try await api.want()
        _ = try await api.want(#"{"environment":"production","storagePolicy":"newest"}"#)
        await api.fake.openChannels()
        let shown = try await api.get(path).json()["channels"]?.elements ?? []
        #expect(shown.compactMap { $0["storagePolicy"]?.text } == ["none", "newest"])
        #expect(shown.first?["channelId"]?.text == "channel-0==")
    }

    @Test func `is refused a channel for an activity that has ended`() async throws {
        let api = await Harness()
        _ = try await api.want()
        await api.fake.openChannels()
        _ = try await api.post(SampleEvents.placed("o-1"))
        _ = try await api.post(
            SampleEvents.event(
                id: "done", type: "PizzaDelivery.OrderDelivered", subject: "o-1", data: "{}"))
        try await api.fake.fold(Harness.mine)
        try await api.want().expectProblem(.channelConflict)
        #expect(try await api.ask().json()["use"]?.text == "pushToken")
    }

    @Test(arguments: [
        ("{}", ["/environment"]), (#"{"environment":"test"}"#, ["/environment"]),
        (#"{"environment":"sandbox","storagePolicy":1}"#, ["/storagePolicy"]),
    ])
    func `learns what of its wish for a channel does not fit`(
        body: String, pointers: [String]
    ) async throws {
        try await Harness().want(body).expectProblem(.invalidRegistration, pointers: pointers)
    }

    @Test func `names an app by its plain bundle id`() async throws {
        let api = await Harness()
        let target = "/v1/activities/o-1/channels/com.example.push-type.liveactivity"
        try await api.get(target).expectProblem(.invalidParameter)
    }
}

struct `An app that asks how to follow` {
    @Test func `is sent to its push token while there is no open channel`() async throws {
        let api = await Harness()
        #expect(try await api.ask().json()["use"]?.text == "pushToken")
        _ = try await api.want()
        let answer = try await api.ask()
        #expect(answer.status == 200)
        #expect(try answer.json()["use"]?.text == "pushToken")
        #expect(try answer.json().names.contains("channelId"))
        #expect(try answer.json()["channelId"]?.text == nil)
    }

    @Test(arguments: [(17, "pushToken"), (18, "channel"), (26, "channel")])
    func `is given the channel from iOS 18 on`(osMajor: Int, use: String) async throws {
        let api = await Harness()
        _ = try await api.want()
        await api.fake.openChannels()
        let answer = try await api.ask(listener(osMajor))
        #expect(try answer.json()["use"]?.text == use)
        #expect(try answer.json()["channelId"]?.text == (osMajor < 18 ? nil : "channel-0=="))
    }

    @Test func `is served by one way at a time, that which it asked for last`() async throws {
        let api = await Harness()
        _ = try await api.want()
        await api.fake.openChannels()
        #expect(try await api.register("aa").status == 201)
        #expect(try await api.ask().json()["use"]?.text == "channel")
        #expect(await api.served() == 0)
        #expect(try await api.register("aa").json()["outcome"]?.text == "registered")
        #expect(await api.served() == 1)
    }

    @Test func `gets the answer to leave a dismissed card alone`() async throws {
        let api = await Harness()
        _ = try await api.want()
        await api.fake.openChannels()
        _ = try await api.register("aa")
        _ = try await api.call(
            "POST", "/v1/activities/o-1/registrations/report",
            body: #"{"installation":"one","state":"dismissed"}"#, type: "application/json")
        let answer = try await api.ask()
        #expect(try answer.json()["use"]?.text == "nothing")
        #expect(try answer.json()["closedBy"]?.text == "dismissed")
    }

    @Test(arguments: [17, 18])
    func `gets that answer without a channel as well`(osMajor: Int) async throws {
        let api = await Harness()
        _ = try await api.register("aa")
        _ = try await api.call(
            "POST", "/v1/activities/o-1/registrations/report",
            body: #"{"installation":"one","state":"dismissed"}"#, type: "application/json")
        let answer = try await api.ask(listener(osMajor))
        #expect(try answer.json()["use"]?.text == "nothing")
        let other = try await api.ask(listener(osMajor, installation: "two"))
        #expect(try other.json()["use"]?.text == "pushToken")
        // Asking has closed nothing.
        #expect(try await api.ask(listener(osMajor)).json()["closedBy"]?.text == "dismissed")
    }

    @Test func `and listens may tell that its card is gone, although it has no token`()
        async throws
    {
        let api = await Harness()
        _ = try await api.want()
        await api.fake.openChannels()
        #expect(try await api.ask().json()["use"]?.text == "channel")
        let report = try await api.call(
            "POST", "/v1/activities/o-1/registrations/report",
            body: #"{"installation":"one","state":"dismissed"}"#, type: "application/json")
        #expect(try report.json()["outcome"]?.text == "noted")
        #expect(try await api.ask().json()["use"]?.text == "nothing")
        let late = try await api.register("aa")
        #expect(late.status == 200)
        #expect(try late.json()["closedBy"]?.text == "dismissed")
    }

    @Test func `must say which phone it is on`() async throws {
        try await Harness().ask("{}").expectProblem(
            .invalidRegistration,
            pointers: ["/environment", "/bundleId", "/installation", "/osMajor"])
    }
}
