import Domain
import EventStore
import HTTP
import JSON
import Projections
import Testing

@testable import API

extension Harness {
    fileprivate func put(
        _ json: String, _ kind: String = "PizzaDelivery", key: String = "admin",
        type: String = "application/json"
    ) async throws -> Answer {
        try await call("PUT", "/v1/policies/\(kind)", key: key, body: json, type: type)
    }
}

@Test func `a policy is put, shown, and known when it comes again`() async throws {
    let api = await Harness()
    let body = #"{"thresholds":{"delayStepSeconds":1200},"rules":{"late":"timely"}}"#
    let answer = try await api.put(body)
    #expect(answer.status == 201)
    #expect(try answer.json()["version"] == .integer(1))
    #expect(try answer.json()["fromPosition"] == .integer(1))
    #expect(try await api.put(body).status == 200)
    let shown = try await api.get("/v1/policies/PizzaDelivery").json()
    #expect(shown["version"] == .integer(1))
    #expect(shown["thresholds"]?["delayStepSeconds"]?["value"] == .number("1200"))
    #expect(shown["thresholds"]?["delayStepSeconds"]?["standard"] == .number("600"))
    #expect(shown["rules"]?["late"]?["value"]?.text == "timely")
    #expect(shown["rules"]?["arriving"]?["value"]?.text == "alert")
    let builtIn = try await api.get("/v1/policies/PizzaDelivery?version=0").json()
    #expect(builtIn["version"] == .integer(0))
    #expect(builtIn["rules"]?["late"]?["value"]?.text == "alert")
}

@Test func `all policies are listed, of those who said nothing too`() async throws {
    let api = await Harness()
    _ = try await api.put("{}", "Match")
    guard case .array(let all) = try await api.get("/v1/policies").json()["policies"] else {
        Issue.record("no list")
        return
    }
    let kinds = ActivityCatalog.standard.kinds.map { $0.name }
    #expect(all.compactMap { $0["kind"]?.text } == kinds)
    for policy in all {
        let version = policy["kind"]?.text == "Match" ? 1 : 0
        #expect(policy["version"] == .integer(version))
    }
    let tag = try #require(try await api.get("/v1/policies").header("etag"))
    let again = try await api.call(
        "GET", "/v1/policies", headers: [("if-none-match", tag)])
    #expect(again.status == 304)
}

@Test func `a client that expects another version than the newest is refused`() async throws {
    let api = await Harness()
    #expect(try await api.put(#"{"expectedVersion":0,"rules":{"late":"none"}}"#).status == 201)
    try await api.put(#"{"expectedVersion":0,"rules":{"late":"ambient"}}"#)
        .expectProblem(.policyConflict, pointers: ["/expectedVersion"])
    let ahead = try await api.put(#"{"expectedVersion":7,"rules":{"late":"ambient"}}"#)
        .expectProblem(.policyConflict, pointers: ["/expectedVersion"])
    #expect(ahead["title"]?.text == "The policy is at another version")
    #expect(try await api.put(#"{"expectedVersion":1,"rules":{"late":"ambient"}}"#).status == 201)
}

@Test(
    arguments: [
        ("[]", [""]), (#"{"threshold":{}}"#, ["/threshold"]),
        (#"{"thresholds":[],"rules":7}"#, ["/thresholds", "/rules"]),
        (
            #"{"thresholds":{"delayStepSeconds":"600","a/b":true}}"#,
            ["/thresholds/delayStepSeconds", "/thresholds/a~1b"]
        ),
        (#"{"thresholds":{"delayStepSeconds":1}}"#, ["/thresholds/delayStepSeconds"]),
        (
            #"{"thresholds":{"budgetTokensCount":1.5,"overdueStepSeconds":20}}"#,
            ["/thresholds/budgetTokensCount", "/thresholds/overdueStepSeconds"]
        ),
        (#"{"rules":{"late":"louder","nothing":"alert"}}"#, ["/rules/late", "/rules/nothing"]),
        (
            #"{"quietHours":{"from":"22:00","till":"x"}}"#,
            ["/quietHours/till", "/quietHours/to", "/quietHours/timeZone"]
        ),
        (
            #"{"quietHours":{"from":"22:00","to":"06:00","timeZone":"UTC","except":["x",1]}}"#,
            ["/quietHours/except/1", "/quietHours/except/0"]
        ),
        (
            """
            {"treshold":{},"thresholds":{"delayStepSeconds":1},"rules":{"nothing":"alert"},
             "quietHours":{"from":7,"to":"25:00","timeZone":"UTC"},"words":"key",
             "texts":{"de":{"late.body":{"by":"reason","other":7},"late.title":""}}}
            """,
            [
                "/treshold", "/quietHours/from", "/texts/de/late.body/other",
                "/thresholds/delayStepSeconds", "/rules/nothing", "/quietHours/to",
                "/texts/de/late.title", "/words",
            ]
        ),
        (
            #"{"quietHours":{"from":null,"to":"06:00","timeZone":"UTC","except":null}}"#,
            ["/quietHours/from"]
        ),
        (
            #"{"texts":{"de":{"late.title":5,"late.body":{"other":"x"}}}}"#,
            ["/texts/de/late.title", "/texts/de/late.body"]
        ),
        (#"{"words":7,"keys":{"late.title":7}}"#, ["/words", "/keys/late.title"]),
        (#"{"words":"key","keys":{"late":"X"}}"#, ["/words", "/keys/late"]),
        (
            #"{"texts":{"de":{"late.body":"\#(String(repeating: "{reason}", count: 14))"}}}"#,
            ["/texts/de/late.body"]
        ),
        (#"{"expectedVersion":-1}"#, ["/expectedVersion"]),
        (#"{"expectedVersion":1.5}"#, ["/expectedVersion"]),
    ] as [(String, [String])])
func `every error of a policy is named at once, and nothing is put`(
    body: String, pointers: [String]
) async throws {
    let api = await Harness()
    try await api.put(body).expectProblem(.invalidPolicy, pointers: pointers)
    #expect(try await api.get("/v1/policies/PizzaDelivery").json()["version"] == .integer(0))
}

/// It was put when less was refused.
@Test(arguments: [
    #"{"thresholds":{"overdueStepSeconds":20}}"#,
    #"{"texts":{"PT-br":{"late.title":" "}}}"#,
])
func `a policy that may not be put any more is known as the newest one, and refused otherwise`(
    body: String
) async throws {
    let api = await Harness()
    let stored = PolicyWish(try JSONParser.parse(Array(body.utf8))).document.encoded
    _ = try await api.fake.put(Harness.mine, "PizzaDelivery", nil, stored, .max)
    let again = try await api.put(body)
    #expect(again.status == 200)
    #expect(try again.json()["outcome"]?.text == "already-known")
    #expect(try again.json()["version"] == .integer(1))
    let path = "/v1/policies/PizzaDelivery/check"
    try await api.call("POST", path, key: "admin", body: body, type: "application/json")
        .expectProblem(.invalidPolicy)
    // Without what has another shape it would be the same.
    let longer = String(body.dropLast()) + #","rule":{}}"#
    try await api.put(longer).expectProblem(.invalidPolicy)
    #expect(try await api.put("{}").status == 201)
    try await api.put(body).expectProblem(.invalidPolicy)
}

@Test func `a policy gives the file of texts that an app needs for its keys`() async throws {
    let api = await Harness()
    #expect(try await api.get("/v1/policies/Match").json()["words"]?.text == "localized")
    let path = "/v1/policies/Match/strings"
    let builtIn = try await api.get(path)
    #expect(builtIn.header("content-type") == "text/plain; charset=utf-8")
    #expect(
        builtIn.text.contains(#""islet.Match.goal.title" = "Goal! %1$@ %2$@ %3$@";"#),
        "\(builtIn.text)")
    let body =
        #"{"words":"keys","keys":{"goal.title":"GOAL"},"texts":{"pl":{"goal.title":"Gol!"}}}"#
    #expect(try await api.put(body, "Match").status == 201)
    #expect(try await api.get("/v1/policies/Match").json()["words"]?.text == "keys")
    let polish = try await api.get(path + "?language=pl").text
    #expect(polish.contains("\"GOAL\" = \"Gol!\";\n"))
    #expect(polish.contains(#""islet.Match.kickOff.body" = "The match has begun.";"#))
    let problem = try await api.get(path + "?language=xx").expectProblem(.invalidParameter)
    #expect(problem["detail"]?.text?.contains("`de`, `en`, `pl`") == true)
    try await api.get("/v1/policies/Chess/strings").expectProblem(.unknownKind)
}

@Test func `a policy shows texts and keys with what they would be by themselves`() async throws {
    let api = await Harness()
    let body = #"""
        {"texts":{"en":{"late.title":"Late"},"pl":{"late.title":"Opóźnienie"}},
         "keys":{"late.title":"LATE"}}
        """#
    #expect(try await api.put(body).status == 201)
    let shown = try await api.get("/v1/policies/PizzaDelivery").json()
    let english = shown["texts"]?["en"]
    #expect(english?["late.title"]?["value"]?.text == "Late")
    #expect(english?["late.title"]?["standard"]?.text == "Running late")
    #expect(english?["arriving.title"]?["value"]?.text == "Almost there")
    #expect(english?["late.body"]?["value"]?["by"]?.text == "minutes")
    #expect(shown["texts"]?["pl"]?.names == ["late.title"])
    #expect(shown["texts"]?["pl"]?["late.title"]?["value"]?.text == "Opóźnienie")
    // Null is as good as absent to a reader.
    #expect(shown["texts"]?["pl"]?["late.title"]?["standard"] == nil)
    #expect(shown["keys"]?["late.title"]?["value"]?.text == "LATE")
    #expect(
        shown["keys"]?["late.title"]?["standard"]?.text == "islet.PizzaDelivery.late.title")
    #expect(shown["keys"]?["order"] == nil)
    let builtIn = try await api.get("/v1/policies/PizzaDelivery?version=0").json()
    #expect(builtIn["texts"]?["en"]?["late.title"]?["value"]?.text == "Running late")
}

@Test(arguments: ["If-Match", "If-None-Match"])
func `what is put or removed on a condition is refused, and left as it is`(
    field: String
) async throws {
    let api = await Harness()
    let tag = try #require(try await api.get("/v1/policies/Match").header("etag"))
    for value in [tag, "\"nonsense\"", "*"] {
        let refused = try await api.call(
            "PUT", "/v1/policies/Match", key: "admin", body: #"{"words":"keys"}"#,
            type: "application/json", headers: [(field.lowercased(), value)]
        ).expectProblem(
            .invalidParameter,
            remedy: "Leave it out. `expectedVersion` in the body is such a condition.")
        #expect(refused["detail"]?.text?.contains("`\(field.lowercased())`") == true)
        try await api.call(
            "PUT", "/v1/activities/o-1/audience", body: #"{"topics":["team:ARG"]}"#,
            type: "application/json", headers: [(field.lowercased(), value)]
        ).expectProblem(.invalidParameter, remedy: "Leave it out.")
        try await api.call(
            "DELETE", "/v1/keys/1", key: "admin", headers: [(field.lowercased(), value)]
        ).expectProblem(.invalidParameter, remedy: "Leave it out.")
    }
    #expect(try await api.get("/v1/policies/Match").json()["version"] == .integer(0))
}

@Test func `languages are stored and found however their tags are spelled`() async throws {
    let api = await Harness()
    #expect(try await api.put(#"{"texts":{"PT-br":{"goal.title":"Gol!"}}}"#, "Match").status == 201)
    let shown = try await api.get("/v1/policies/Match").json()
    #expect(shown["document"]?["texts"]?.names == ["pt-BR"])
    #expect(try await api.put(#"{"texts":{"pt-BR":{"goal.title":"Gol!"}}}"#, "Match").status == 200)
    for language in ["pt-BR", "pt-br", "PT-BR"] {
        let file = try await api.get("/v1/policies/Match/strings?language=\(language)")
        #expect(file.text.contains("= \"Gol!\";\n"), "\(language): \(file.text)")
    }
    try await api.put(#"{"texts":{"DE":{},"de":{}}}"#, "Match")
        .expectProblem(.invalidPolicy, pointers: ["/texts/de"])
}

@Test func `a tenant keeps so many bytes of policies, and the newest once more`() async throws {
    var limits = APILimits.standard
    // Each counts as 4 KiB.
    limits.storedPolicyBytesMax = 8_192
    let api = await Harness(limits: limits)
    let newest = #"{"rules":{"late":"ambient"}}"#
    #expect(try await api.put(#"{"rules":{"late":"none"}}"#).status == 201)
    #expect(try await api.put(newest).status == 201)
    let refused = try await api.put(#"{"rules":{"late":"timely"}}"#)
    #expect(refused.status == 507)
    let problem = try refused.expectProblem(.quotaExceeded)
    #expect(problem["detail"]?.text?.contains("8192 bytes of policies") == true)
    try await api.put("{}", "Match").expectProblem(.quotaExceeded)
    #expect(try await api.put(newest).status == 200)
    #expect(try await api.get("/v1/policies/PizzaDelivery").json()["version"] == .integer(2))
}

@Test func `versions are there by number, and listed from the newest on`() async throws {
    let api = await Harness()
    for word in ["none", "ambient", "timely"] {
        #expect(try await api.put(#"{"rules":{"late":"\#(word)"}}"#).status == 201)
    }
    let listed = try await api.get("/v1/policies/PizzaDelivery/versions").json()
    let numbers = (listed["versions"]?.elements ?? []).map { $0["version"] }
    #expect(numbers == [3, 2, 1].map { .integer($0) })
    let second = try await api.get("/v1/policies/PizzaDelivery?version=2").json()
    #expect(second["rules"]?["late"]?["value"]?.text == "ambient")
    let problem = try await api.get("/v1/policies/PizzaDelivery?version=4")
        .expectProblem(.unknownVersion)
    #expect(problem["detail"]?.text == "The policy of PizzaDelivery has 3 versions.")
}

@Test func `policies have their problems with kinds, versions, types and keys`() async throws {
    let api = await Harness()
    try await api.put("{}", "Chess").expectProblem(.unknownKind)
    try await api.get("/v1/policies/Chess").expectProblem(.unknownKind)
    try await api.get("/v1/policies/Match?version=3").expectProblem(.unknownVersion)
    try await api.get("/v1/policies/Match?version=x").expectProblem(.invalidParameter)
    try await api.put("{}", type: "text/plain").expectProblem(.unsupportedMediaType)
    try await api.put("{").expectProblem(.malformedJSON)
    try await api.put("{}", key: "all").expectProblem(.missingScope)
    await api.fake.fail(with: .unavailable(detail: "gone"))
    try await api.put("{}").expectProblem(.storeUnavailable)
}
