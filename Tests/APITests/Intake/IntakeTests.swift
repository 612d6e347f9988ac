import Domain
import EventStore
import Foundation
import HTTP
import JSON
import Testing

@testable import API

@Test func `a new event is acknowledged with its place in the log`() async throws {
    let api = await Harness()
    let answer = try await api.post(SampleEvents.placed("o-1"))
    #expect(answer.status == 201)
    let row = try #require(try answer.json()["events"]?.elements.first)
    #expect(row["outcome"]?.text == "recorded")
    #expect(row["position"] == .integer(1))
    #expect(row["version"] == .integer(1))
    #expect(row["id"]?.text == "placed")
    let event = try #require(await api.fake.log(of: Harness.mine).first?.event)
    #expect(event.type == "PizzaDelivery.OrderPlaced")
    #expect(event.source == "/kitchen/5")
    #expect(event.activityID == ActivityID(rawValue: "o-1"))
    #expect(event.occurredAt == Moment(rfc3339: "2027-01-15T08:00:00Z"))
    #expect(event.schemaVersion == 1)
    #expect(event.expectedVersion == nil)
}

@Test func `sending an event again changes nothing and gives its first place`() async throws {
    let api = await Harness()
    _ = try await api.post(SampleEvents.placed("o-1"))
    let again = try await api.post(SampleEvents.placed("o-1"))
    #expect(again.status == 200)
    let row = try again.json()["events"]?.elements.first
    #expect(row?["outcome"]?.text == "already-known")
    #expect(row?["position"] == .integer(1))
    #expect(await api.fake.log(of: Harness.mine).count == 1)
}

@Test(arguments: [
    ("application/cloudevents+json", false), ("application/cloudevents-batch+json", true),
    ("application/json", false), ("application/json", true),
    ("Application/CloudEvents+JSON; charset=UTF-8", false),
    ("application/json;charset=utf-8", true),
])
func `every media type of CloudEvents JSON is taken`(type: String, isBatch: Bool) async throws {
    let api = await Harness()
    let event = SampleEvents.placed("o-1")
    let answer = try await api.call(
        "POST", "/v1/events", body: isBatch ? "\n [\(event)]" : event, type: type)
    #expect(answer.status == 201)
}

@Test(arguments: [
    nil, "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1",
    "application/cloudevents",
])
func `another media type is refused with those that are taken`(type: String?) async throws {
    let api = await Harness()
    let answer = try await api.call(
        "POST", "/v1/events", body: SampleEvents.placed("o-1"), type: type)
    let problem = try answer.expectProblem(.unsupportedMediaType)
    #expect(problem["detail"]?.text?.contains("takes application/cloudevents+json, ") == true)
    #expect(answer.header("accept-post")?.contains("application/cloudevents+json") == true)
    #expect(await api.fake.log(of: Harness.mine).isEmpty)
}

@Test func `a body in a coding that is not spoken is refused rather than misread`() async throws {
    let api = await Harness()
    let answer = try await api.call(
        "POST", "/v1/events", body: "x", type: "application/json",
        headers: [("content-encoding", "br")])
    try answer.expectProblem(
        .unsupportedMediaType,
        remedy: "Pack the body with gzip, or send it as it is without `Content-Encoding`.")
}

@Test func `the shape of the body must be the one its media type names`() async throws {
    let api = await Harness()
    let event = SampleEvents.placed("o-1")
    for (type, body) in [
        ("application/cloudevents+json", "[\(event)]"),
        ("application/cloudevents-batch+json", event), ("application/json", "\"event\""),
        ("application/json", "null"),
    ] {
        let answer = try await api.call("POST", "/v1/events", body: body, type: type)
        try answer.expectProblem(.invalidAttribute, pointers: [""])
    }
    #expect(await api.fake.appendedBatches == 0)
}

@Test func `an empty batch is accepted and records nothing`() async throws {
    let api = await Harness()
    let answer = try await api.post("[]")
    #expect(answer.status == 200)
    #expect(try answer.json()["events"] == .array([]))
    #expect(await api.fake.appendedBatches == 0)
}

@Test func `a batch that is new in part has an answer for each event`() async throws {
    let api = await Harness()
    _ = try await api.post(SampleEvents.placed("o-1"))
    let answer = try await api.post(
        "[\(SampleEvents.placed("o-1")),\(SampleEvents.assigned("o-1"))]")
    #expect(answer.status == 200)
    let outcomes = try answer.json()["events"]?.elements.compactMap { $0["outcome"]?.text }
    #expect(outcomes == ["already-known", "recorded"])
}

@Test func `malformed JSON is refused with line and byte`() async throws {
    let api = await Harness()
    let answer = try await api.post("{\n  \"id\": oops}")
    let document = try answer.expectProblem(.malformedJSON, pointers: ["/id"])
    #expect(document["detail"]?.text == "Line 2, byte 9: an unexpected character.")
    try await api.post("").expectProblem(.malformedJSON, pointers: [""])
    #expect(await api.fake.log(of: Harness.mine).isEmpty)
}

@Test func `a member name that comes twice is refused, for nobody knows which was meant`()
    async throws
{
    let api = await Harness()
    let data = #"{"driverName":"Ada","driverName":"Bob"}"#
    let event = SampleEvents.event(
        id: "1", type: "PizzaDelivery.DriverAssigned", subject: "o-1", data: data)
    let answer = try await api.post("[\(event)]")
    try answer.expectProblem(.malformedJSON, pointers: ["/0/data/driverName"])
}

@Test func `data are recorded as one canonical object with every digit and unknown field`()
    async throws
{
    let api = await Harness()
    let data =
        #"{ "x": 12345678901234567890.10, "driverName": "Ad\u00e0", "a/b": [1, {"z":1,"y":2}] }"#
    let answer = try await api.post(
        SampleEvents.event(
            id: "1", type: "PizzaDelivery.DriverAssigned", subject: "o-1", data: data))
    #expect(answer.status == 201)
    let stored = await api.fake.log(of: Harness.mine).first?.event.data
    let expected = #"{"a/b":[1,{"y":2,"z":1}],"driverName":"Adà","x":12345678901234567890.10}"#
    #expect(stored == Data(expected.utf8))
}

@Test func `every missing attribute is named at once`() async throws {
    let api = await Harness()
    let answer = try await api.post("{}")
    try answer.expectProblem(
        .invalidAttribute,
        pointers: ["/specversion", "/id", "/source", "/type", "/subject", "/data"])
}

@Test(arguments: [
    ("specversion", #""0.3""#), ("specversion", "1.0"), ("id", #""""#), ("id", "7"),
    ("id", #""a\nb""#), ("id", "\"" + String(repeating: "x", count: 201) + "\""),
    ("source", #""kitchen 5""#), ("source", #""/küche""#), ("source", #""/a%2""#),
    ("type", "null"), ("subject", #""""#), ("subject", #""a\u007fb""#),
    ("subject", #"".""#), ("subject", #""..""#),
    ("time", #""2027-01-15T08:00:00""#), ("time", #""2027-02-30T08:00:00Z""#),
    ("time", #""2027-01-15T08:00:60Z""#), ("time", #""2027-01-15 08:00:00Z""#),
    ("time", #""yesterday""#), ("time", "1800000000"), ("data", "null"), ("data", "[]"),
    ("data", #""{}""#), ("datacontenttype", #""text/xml""#), ("datacontenttype", "1"),
    ("schemaversion", "0"), ("schemaversion", #""1""#), ("schemaversion", "1.5"),
    ("schemaversion", "99999999999999999999"), ("expectedversion", "-1"),
    ("expectedversion", "1e2"), ("expectedversion", "9007199254740992"),
    ("data_base64", #""e30=""#),
])
func `an attribute of the wrong shape is refused and named`(
    name: String, value: String
) async throws {
    let api = await Harness()
    var members = [
        "specversion": #""1.0""#, "id": #""1""#, "source": #""/k""#,
        "type": #""PizzaDelivery.DriverAssigned""#, "subject": #""o-1""#,
        "time": #""2027-01-15T08:00:00Z""#, "data": #"{"driverName":"Ada"}"#,
    ]
    members[name] = value
    if name == "data_base64" { members["data"] = nil }
    let body = members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
    let answer = try await api.post("{\(body)}")
    let document = try answer.expectProblem(.invalidAttribute, pointers: ["/\(name)"])
    #expect(document["detail"]?.text?.contains("`\(name)`") == true)
    #expect(await api.fake.log(of: Harness.mine).isEmpty)
}

@Test func `a version beyond those that there can be is refused with the last one`() async throws {
    let api = await Harness()
    let answer = try await api.post(
        SampleEvents.event(
            id: "1", type: "PizzaDelivery.OrderReady", subject: "o-1", data: "{}",
            extra: #""expectedversion":9007199254740992,"#))
    let document = try answer.expectProblem(.invalidAttribute, pointers: ["/expectedversion"])
    #expect(document["detail"]?.text?.contains("from 0 to 9007199254740991") == true)
}

@Test(arguments: ["2027-01-15T08:00:60Z", "2027-01-15 08:00:00Z"])
func `a time in data is taken by the letter of RFC 3339`(time: String) async throws {
    let api = await Harness()
    let answer = try await api.post(
        SampleEvents.event(
            id: "1", type: "PizzaDelivery.EstimateRevised", subject: "o-1",
            data: #"{"estimatedAt":"\#(time)"}"#))
    try answer.expectProblem(.invalidEventData, pointers: ["/data/estimatedAt"])
}

@Test func `data beyond the limit are refused`() async throws {
    let api = await Harness()
    let answer = try await api.post(
        SampleEvents.assigned("o-1", driver: String(repeating: "x", count: 65 << 10)))
    try answer.expectProblem(.invalidAttribute, pointers: ["/data"])
}

@Test func `an unknown type is refused and the types are named where they are listed`() async throws
{
    let api = await Harness()
    let answer = try await api.post(
        SampleEvents.event(id: "1", type: "Pizza.Eaten", subject: "o-1", data: "{}"))
    let document = try answer.expectProblem(.unknownEventType, pointers: ["/type"])
    #expect(document["remedy"]?.text?.contains("/v1/schemas") == true)
}

@Test func `an unknown schema version is refused`() async throws {
    let api = await Harness()
    let answer = try await api.post(
        SampleEvents.event(
            id: "1", type: "PizzaDelivery.DriverAssigned", subject: "o-1",
            data: #"{"driverName":"Ada"}"#, extra: #""schemaversion":99,"#))
    try answer.expectProblem(.unknownSchemaVersion, pointers: ["/schemaversion"])
}

@Test func `every bad event of a batch is named and none of the batch is recorded`() async throws {
    let api = await Harness()
    let noDriver = SampleEvents.event(
        id: "2", type: "PizzaDelivery.DriverAssigned", subject: "o-1", data: "{}")
    let answer = try await api.post("[\(SampleEvents.placed("o-1")),\(noDriver),7,{}]")
    let document = try answer.expectProblem(
        .invalidEvents,
        pointers: [
            "/1/data/driverName", "/2", "/3/specversion", "/3/id", "/3/source", "/3/type",
            "/3/subject", "/3/data",
        ])
    let first = document["errors"]?.elements.first
    #expect(first?["type"]?.text == Problem.invalidEventData.type)
    #expect(await api.fake.appendedBatches == 0)
}

@Test func `a document lists at most a hundred errors and counts them all`() async throws {
    let api = await Harness()
    let answer = try await api.post(
        "[" + Array(repeating: "7", count: 500).joined(separator: ",") + "]")
    let document = try answer.expectProblem(.invalidAttribute)
    #expect(document["errors"]?.elements.count == Limits.errorsListedMax)
    #expect(document["detail"]?.text?.hasPrefix("500 errors") == true)
}

@Test func `a version that was not expected is a conflict with the actual one`() async throws {
    let api = await Harness()
    _ = try await api.post(SampleEvents.placed("o-1"))
    let late = SampleEvents.event(
        id: "2", type: "PizzaDelivery.DriverAssigned", subject: "o-1",
        data: #"{"driverName":"Ada"}"#, extra: #""expectedversion":0,"#)
    let answer = try await api.post(late)
    let document = try answer.expectProblem(.versionConflict, pointers: ["/expectedversion"])
    #expect(document["errors"]?.elements.first?["actualVersion"] == .integer(1))
    #expect(await api.fake.log(of: Harness.mine).count == 1)
}

@Test func `a batch that was not recorded counts for no activity's version`() async throws {
    let api = await Harness()
    func event(_ id: String, _ type: String, expected: Int64) -> String {
        SampleEvents.event(
            id: id, type: "PizzaDelivery.\(type)", subject: "o-1", data: "{}",
            extra: #""expectedversion":\#(expected),"#)
    }
    let batch = """
        [\(event("1", "OrderAccepted", expected: 0)),\(event("2", "OrderReady", expected: 1)),\
        \(event("2", "OrderReady", expected: 1)),\(event("3", "OrderPickedUp", expected: 1))]
        """
    let refused = try await api.post(batch)
    let document = try refused.expectProblem(.versionConflict, pointers: ["/3/expectedversion"])
    let error = document["errors"]?.elements.first
    #expect(error?["actualVersion"] == .integer(0))
    #expect(
        error?["detail"]?.text
            == "The activity is at version 0, and the events before this one would bring it to 2.")
    #expect(await api.fake.log(of: Harness.mine).isEmpty)
    // Of an event by itself it is the version that the log has.
    _ = try await api.post(event("1", "OrderAccepted", expected: 0))
    let alone = try await api.post(event("3", "OrderPickedUp", expected: 5))
    let ahead = try alone.expectProblem(.versionConflict)
    let errors = ahead["errors"]?.elements
    // Who expects too much need not hear that there is more.
    #expect(ahead["title"]?.text == "The activity is at another version")
    #expect(errors?.first?["detail"]?.text == "The activity is at version 1.")
}

@Test func `an id reused for other content is a conflict with the earlier position`() async throws {
    let api = await Harness()
    _ = try await api.post(SampleEvents.assigned("o-1", driver: "Ada"))
    let answer = try await api.post(
        "[\(SampleEvents.placed("o-1")),\(SampleEvents.assigned("o-1", driver: "Bob"))]")
    let document = try answer.expectProblem(.contentConflict, pointers: ["/1/id"])
    #expect(document["errors"]?.elements.first?["position"] == .integer(1))
    #expect(!answer.text.contains("Bob"))
    #expect(await api.fake.log(of: Harness.mine).count == 1)
}

@Test func `conflicts of both kinds are in one document`() async throws {
    let api = await Harness()
    _ = try await api.post(SampleEvents.assigned("o-1", driver: "Ada"))
    let unexpected = SampleEvents.event(
        id: "2", type: "PizzaDelivery.OrderReady", subject: "o-1", data: "{}",
        extra: #""expectedversion":9,"#)
    let answer = try await api.post(
        "[\(SampleEvents.assigned("o-1", driver: "Bob")),\(unexpected)]")
    try answer.expectProblem(.eventConflicts, pointers: ["/0/id", "/1/expectedversion"])
}

@Test func `a body or a batch over its limit is refused`() async throws {
    var limits = APILimits.standard
    limits.bodyBytesMax = 2000
    limits.eventsPerBatchMax = 3
    let api = await Harness(limits: limits)
    try await api.post(String(repeating: " ", count: 2001)).expectProblem(.bodyTooLarge)
    try await api.post("[{},{},{},{}]").expectProblem(.tooManyEvents)
}

@Test func `a store that cannot be reached is a 503 that says when to try again`() async throws {
    let reports = Lever<[String]>([])
    let api = await Harness { error, doing in reports.value.append("\(error) \(doing)") }
    try await api.waitUntilKeysAreRemembered()
    await api.fake.fail(with: .unavailable(detail: "secret host"))
    let answer = try await api.post(SampleEvents.placed("o-1"))
    try answer.expectProblem(.storeUnavailable)
    #expect(answer.header("retry-after") == "2")
    #expect(!answer.text.contains("secret"))
    #expect(reports.value.count == 1)
    #expect(reports.value[0].hasSuffix("recording events"))
}

@Test func `a store that fails is a 500 without internals`() async throws {
    let api = await Harness()
    try await api.waitUntilKeysAreRemembered()
    await api.fake.fail(with: .failed(sqlState: "42P01", detail: "secret table"))
    let answer = try await api.post(SampleEvents.placed("o-1"))
    try answer.expectProblem(.internalError)
    #expect(!answer.text.contains("secret"))
    #expect(!answer.text.contains("42P01"))
}
