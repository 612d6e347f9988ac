import Domain
import EventStore
import HTTP
import JSON
import Testing

@testable import API

private let token = String(repeating: "aB", count: 80)

private func body(
    token: String = "\"\(token)\"", environment: String = "\"sandbox\"",
    bundleID: String = "\"com.example.pizza\""
) -> String {
    #"{"pushToken":\#(token),"environment":\#(environment),"bundleId":\#(bundleID)}"#
}

extension Harness {
    fileprivate func register(
        _ json: String, at activity: String = "o-1", key: String = "all",
        type: String = "application/json"
    ) async throws -> Answer {
        try await call(
            "POST", "/v1/activities/\(activity)/registrations", key: key, body: json, type: type)
    }

    fileprivate func tokens(_ tenant: TenantID, _ activity: String = "o-1") async -> [PushToken] {
        await fake.tokens[.init(tenant: tenant, activity: ActivityID(rawValue: activity))] ?? []
    }
}

@Test func `a phone registers and its token is never repeated`() async throws {
    let api = await Harness()
    _ = try await api.post(SampleEvents.placed("o-1"))
    try await api.fake.fold(Harness.mine)
    let answer = try await api.register(body())
    #expect(answer.status == 201)
    #expect(try answer.json()["activityKnown"] == .bool(true))
    #expect(!answer.text.lowercased().contains("abab"))
    #expect(await api.tokens(Harness.mine).map(\.hex) == [token.lowercased()])
    let again = try await api.register(body())
    #expect(again.status == 200)
    #expect(try again.json()["outcome"]?.text == "already-known")
    #expect(await api.tokens(Harness.mine).count == 1)
}

@Test func `a phone that is quicker than the first event is kept and told so`() async throws {
    let api = await Harness()
    let answer = try await api.register(body())
    #expect(answer.status == 201)
    #expect(try answer.json()["activityKnown"] == .bool(false))
    #expect(try answer.json()["note"]?.text?.contains("No event") == true)
}

@Test func `a phone whose app has no key is kept and told so, also before the first event`()
    async throws
{
    let known = TenantApp(
        tenant: Harness.mine, bundleID: "com.example.pizza", environment: .sandbox)
    let api = await Harness(hasKey: { $0 == known })
    func quoted(_ byte: String) -> String { "\"\(String(repeating: byte, count: 80))\"" }
    for isFolded in [false, true] {
        if isFolded {
            _ = try await api.post(SampleEvents.placed("o-1"))
            try await api.fake.fold(Harness.mine)
        }
        let unknown = [
            body(token: quoted("12"), bundleID: #""com.example.other""#),
            body(token: quoted("34"), environment: #""production""#),
        ]
        for wish in unknown {
            let note = try await api.register(wish).json()["note"]?.text ?? ""
            #expect(note.hasPrefix("The phone is kept; nothing is sent for "), "\(note)")
            #expect(note.contains("islet apps add"))
            #expect(note.contains("com.example.other in sandbox") != note.contains("production"))
        }
        let note = try await api.register(body()).json()["note"]?.text ?? ""
        #expect(note.hasPrefix("The phone is kept; nothing is sent") == false, "\(note)")
    }
}

@Test func `every error of a registration is named at once`() async throws {
    let api = await Harness()
    try await api.register("{}").expectProblem(
        .invalidRegistration, pointers: ["/pushToken", "/environment", "/bundleId"])
    #expect(await api.tokens(Harness.mine).isEmpty)
}

@Test(arguments: [
    ("pushToken", body(token: #""not hex at all, sir""#)), ("pushToken", body(token: "17")),
    ("pushToken", body(token: #""abc""#)),
    ("pushToken", body(token: "\"" + String(repeating: "ab", count: 257) + "\"")),
    ("environment", body(environment: #""development""#)),
    ("environment", body(environment: "null")),
    ("bundleId", body(bundleID: #""com.example pizza""#)), ("bundleId", body(bundleID: #""""#)),
    ("bundleId", body(bundleID: #""com.example.pizza.push-type.liveactivity""#)),
    ("bundleId", body(bundleID: #""com.example.pizza\r\nx""#)),
])
func `a registration of the wrong shape is refused and named`(
    name: String, json: String
) async throws {
    let api = await Harness()
    let answer = try await api.register(json)
    try answer.expectProblem(.invalidRegistration, pointers: ["/\(name)"])
    #expect(!answer.text.contains("sir"))
    #expect(await api.tokens(Harness.mine).isEmpty)
}

@Test func `a registration that is no JSON object is refused`() async throws {
    let api = await Harness()
    try await api.register("[]").expectProblem(.invalidRegistration, pointers: [""])
    try await api.register("{").expectProblem(.malformedJSON)
    for type in ["text/plain", "application/json; charset=latin1", "application/json;charset=x"] {
        try await api.register(body(), type: type).expectProblem(.unsupportedMediaType)
    }
    for type in ["Application/JSON ; charset=\"UTF-8\"", "application/json;charset=us-ascii"] {
        #expect(try await api.register(body(), type: type).status < 300, "\(type)")
    }
    var limits = APILimits.standard
    limits.bodyBytesMax = 10
    try await Harness(limits: limits).register(body()).expectProblem(.bodyTooLarge)
}

@Test func `a phone of another tenant registers for that tenant's own activity`() async throws {
    let api = await Harness()
    _ = try await api.post(SampleEvents.placed("o-1"))
    try await api.fake.fold(Harness.mine)
    let answer = try await api.register(body(), key: "theirs")
    #expect(try answer.json()["activityKnown"] == .bool(false))
    #expect(await api.tokens(Harness.mine).isEmpty)
    #expect(await api.tokens(Harness.theirs).count == 1)
}

@Test func `a registration is refused as long as the store is away`() async throws {
    let api = await Harness()
    _ = try await api.register("{}")
    await api.fake.fail(with: .unavailable(detail: ""))
    try await api.register(body()).expectProblem(.storeUnavailable)
}
