import Domain
import EventStore
import HTTP
import JSON
import Testing

@testable import API

private func token(_ digits: String) -> String { String(repeating: digits, count: 32) }

private func wish(_ digits: String = "aa", _ members: String = "") -> String {
    """
    {"pushToken":"\(token(digits))","environment":"sandbox","bundleId":"com.example"\(members)}
    """
}

extension Harness {
    fileprivate func ask(
        _ body: String, _ path: String = "", activity: String = "o-1"
    ) async throws -> Answer {
        try await call(
            "POST", "/v1/activities/\(activity)/registrations\(path)", body: body,
            type: "application/json")
    }

    fileprivate func served() async -> [String] {
        let key = FakeStore.Key(tenant: Harness.mine, activity: ActivityID(rawValue: "o-1"))
        return await (fake.tokens[key] ?? []).map(\.hex)
    }
}

struct `A registered phone` {
    @Test func `may say more of itself`() async throws {
        let api = await Harness()
        let members = """
            ,"installation":"3f1c","locale":"zh-Hant-TW","frequentUpdates":true,"appBuild":"1.2.3",
            "osMajor":26
            """
        #expect(try await api.ask(wish("aa", members)).status == 201)
        let empty = #","installation":null,"locale":null,"frequentUpdates":null,"osMajor":null"#
        #expect(try await api.ask(wish("bb", empty)).status == 201)
    }

    @Test(arguments: [
        ("installation", #""""#), ("installation", "7"), ("installation", #""a\nb""#),
        ("installation", "\"" + String(repeating: "a", count: 101) + "\""),
        ("locale", #""""#), ("locale", #""x""#), ("locale", #""en_GB""#), ("locale", #""en-""#),
        ("locale", #""en-a""#), ("locale", #""12""#), ("locale", #""en-ninechars""#),
        ("locale", "\"en" + String(repeating: "-abcdefgh", count: 32) + "\""),
        ("frequentUpdates", #""yes""#), ("frequentUpdates", "1"), ("appBuild", "17"),
        ("appBuild", #""""#), ("osMajor", "0"), ("osMajor", "1000"), ("osMajor", "17.5"),
        ("osMajor", #""18""#),
    ])
    func `is refused what does not fit and told where`(name: String, value: String) async throws {
        let api = await Harness()
        try await api.ask(wish("aa", #","\#(name)":\#(value)"#))
            .expectProblem(.invalidRegistration, pointers: ["/\(name)"])
        #expect(await api.served().isEmpty)
    }

    @Test func `gets nothing under its old token once it rotated`() async throws {
        let api = await Harness()
        _ = try await api.ask(wish())
        let rotation = #"{"from":"\#(token("aa"))","to":"\#(token("bb"))"}"#
        let answer = try await api.ask(rotation, "/rotation")
        #expect(try answer.json()["outcome"]?.text == "rotated")
        #expect(!answer.text.contains(token("bb")))
        #expect(await api.served() == [token("bb")])
        let again = try await api.ask(rotation, "/rotation")
        #expect(again.status == 200)
        #expect(try again.json()["outcome"]?.text == "already-rotated")
        let late = try await api.ask(wish())
        #expect(late.status == 200)
        #expect(try late.json()["outcome"]?.text == "closed")
        #expect(try late.json()["closedBy"]?.text == "replaced")
        #expect(await api.served() == [token("bb")])
    }

    @Test func `cannot rotate from a token that does not count`() async throws {
        let api = await Harness()
        func rotate(_ from: String, _ to: String) async throws -> Answer {
            try await api.ask(
                #"{"from":"\#(token(from))","to":"\#(token(to))"}"#, "/rotation")
        }
        try await rotate("aa", "bb").expectProblem(.unknownRegistration)
        _ = try await api.ask(wish())
        #expect(try await rotate("aa", "bb").status == 200)
        try await rotate("aa", "cc").expectProblem(.rotationConflict)
        try await rotate("bb", "bb")
            .expectProblem(.invalidRegistration, pointers: ["/to"])
        try await api.ask("{}", "/rotation")
            .expectProblem(.invalidRegistration, pointers: ["/from", "/to"])
    }

    @Test func `that dismissed its card is left alone for good`() async throws {
        let api = await Harness()
        let name = #","installation":"3f1c""#
        _ = try await api.ask(wish("aa", name))
        let answer = try await api.ask(#"{"installation":"3f1c","state":"dismissed"}"#, "/report")
        #expect(try answer.json()["outcome"]?.text == "noted")
        for again in [wish("aa"), wish("bb", name), wish("bb")] {
            let answer = try await api.ask(again)
            #expect(answer.status == 200)
            #expect(try answer.json()["closedBy"]?.text == "dismissed", "\(again)")
            #expect(try answer.json()["note"]?.text == "Nothing is sent to this card any more.")
        }
        #expect(await api.served().isEmpty)
    }

    @Test func `that was swiped away before it was registered is remembered of its app`()
        async throws
    {
        let api = await Harness()
        let gone = #""installation":"3f1c","state":"dismissed""#
        try await api.ask("{\(gone)}", "/report").expectProblem(.unknownRegistration)
        let app = #""bundleId":"com.example.pizza""#
        try await api.ask("{\(gone),\"bundleId\":\"a b\"}", "/report")
            .expectProblem(.invalidRegistration, pointers: ["/bundleId"])
        let answer = try await api.ask("{\(gone),\(app)}", "/report")
        #expect(try answer.json()["outcome"]?.text == "noted")
        let ended = #"{"installation":"3f1d","state":"ended",\#(app)}"#
        try await api.ask(ended, "/report").expectProblem(.unknownRegistration)
    }

    @Test func `reports a state by token or installation`() async throws {
        let api = await Harness()
        let known = #""pushToken":"\#(token("aa"))""#
        try await api.ask("{\(known),\"state\":\"active\"}", "/report")
            .expectProblem(.unknownRegistration)
        _ = try await api.ask(wish())
        for state in CardReport.allCases {
            let answer = try await api.ask(
                "{\(known),\"state\":\"\(state.rawValue)\"}", "/report")
            #expect(try answer.json()["outcome"]?.text == "noted", "\(state)")
        }
        try await api.ask("{\(known),\"state\":\"gone\"}", "/report")
            .expectProblem(.invalidRegistration, pointers: ["/state"])
        try await api.ask("{\(known),\"installation\":\"x\",\"state\":\"active\"}", "/report")
            .expectProblem(.invalidRegistration, pointers: ["/installation"])
        try await api.ask("{}", "/report")
            .expectProblem(.invalidRegistration, pointers: ["/state", "/pushToken"])
    }

    @Test func `leaves and may come again`() async throws {
        let api = await Harness()
        let removal = #"{"pushToken":"\#(token("aa"))"}"#
        try await api.ask(removal, "/removal").expectProblem(.unknownRegistration)
        _ = try await api.ask(wish())
        for _ in 1...2 {
            let answer = try await api.ask(removal, "/removal")
            #expect(try answer.json()["outcome"]?.text == "removed")
        }
        #expect(await api.served().isEmpty)
        #expect(try await api.ask(wish()).status == 201)
        #expect(await api.served() == [token("aa")])
        try await api.ask("{}", "/removal")
            .expectProblem(.invalidRegistration, pointers: ["/pushToken"])
    }

    @Test func `has one token at a time`() async throws {
        let api = await Harness()
        let name = #","installation":"3f1c""#
        #expect(try await api.ask(wish("aa", name)).status == 201)
        #expect(try await api.ask(wish("bb", name)).status == 201)
        #expect(try await api.ask(wish("cc", #","installation":"77aa""#)).status == 201)
        #expect(await api.served() == [token("bb"), token("cc")])
    }
}
