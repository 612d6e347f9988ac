import Domain
import EventStore
import HTTP
import JSON
import Testing

@testable import API

private let token = String(repeating: "ab", count: 32)
private let app = #""bundleId":"com.example","environment":"sandbox""#
private let activity = "/v1/activities/o-1"

/// What keeps one thing more of phones or for them.
private let keeping: [(method: String, target: String, body: String)] = [
    ("POST", "\(activity)/registrations", #"{"pushToken":"\#(token)",\#(app)}"#),
    (
        "POST", "\(activity)/registrations/rotation",
        #"{"from":"\#(token)","to":"\#(token)cd"}"#
    ),
    (
        "POST", "\(activity)/registrations/report",
        #"{"installation":"one","bundleId":"com.example","state":"active"}"#
    ),
    ("POST", "\(activity)/channel", #"{\#(app),"installation":"one","osMajor":18}"#),
    ("PUT", "\(activity)/channels/com.example", #"{"environment":"sandbox"}"#),
    ("PUT", "\(activity)/audience", #"{"topics":["customer:42"]}"#),
    (
        "PUT", "/v1/start-tokens/one/Match",
        #"{"pushToken":"\#(token)",\#(app),"topics":["customer:42"]}"#
    ),
]

struct `A tenant that keeps as much of phones as it may` {
    private let isFull = Lever(true)

    private func make() async -> Harness {
        let isFull = isFull
        var limits = APILimits.standard
        limits.storedRegistrationsMax = 17
        return await Harness(
            limits: limits, mayRegister: { !(isFull.value && $0 == Harness.mine) })
    }

    @Test(arguments: keeping)
    func `keeps nothing more, with a key as little as with a ticket`(
        asked: (method: String, target: String, body: String)
    ) async throws {
        let api = await make()
        func ask(_ key: String) async throws -> Answer {
            try await api.call(
                asked.method, asked.target, key: key, body: asked.body, type: "application/json")
        }
        let refused = try await ask("all")
        let document = try refused.expectProblem(.quotaExceeded)
        #expect(refused.status == 507)
        #expect(document["detail"]?.text?.contains("may keep 17 registrations") == true)
        #expect(try await ask("theirs").status != 507)
        if asked.method == "POST" {
            let made = try await api.call(
                "POST", "\(activity)/tickets", body: "", type: "application/json")
            let ticket = try #require(try made.json()["ticket"]?.text)
            try await ask(ticket).expectProblem(.quotaExceeded)
        }
        isFull.value = false
        #expect(try await ask("all").status != 507)
    }

    @Test func `may go on with what it has`() async throws {
        let api = await make()
        isFull.value = false
        let first = keeping[0]
        _ = try await api.call(
            first.method, first.target, body: first.body, type: "application/json")
        isFull.value = true
        for (path, body) in [
            ("report", #"{"pushToken":"\#(token)","state":"active"}"#),
            ("removal", #"{"pushToken":"\#(token)"}"#),
        ] {
            let answer = try await api.call(
                "POST", "\(activity)/registrations/\(path)", body: body,
                type: "application/json")
            #expect(answer.status == 200)
        }
        #expect(try await api.post(SampleEvents.placed("o-1")).status == 201)
    }
}
