import APNs
import Foundation
import ProjectFiles
import TestSupport
import Testing

private let state = Data(#"{"deliveryTimer":[779198400,779200200],"driverName":"Ada"}"#.utf8)

private func text(_ payload: Payload) -> String { String(decoding: payload.json, as: UTF8.self) }

private func golden(_ name: String) throws -> String {
    try ProjectFiles.text("Tests/APNsTests/Golden/\(name).json").trimmingCharacters(in: .newlines)
}

@Test func `a start with all its members equals its golden file byte for byte`() throws {
    let payload = Payload(
        event: .start, timestamp: 1_757_505_600, contentState: state,
        alert: Payload.AlertText(
            title: "A / \"B\"", body: "Kick-off\tnow \\o/", sound: "horn.caf"),
        staleDate: 1_757_507_400, dismissalDate: 1_757_506_500, relevanceScore: -0.5,
        start: Payload.Start(
            attributesType: "MatchAttributes", attributes: Data(#"{"sport":"football"}"#.utf8),
            input: .channel("dGV/st+=")))
    #expect(text(payload) == (try golden("start-with-channel")))
}

@Test func `an end with all its members equals its golden file byte for byte`() throws {
    let payload = Payload(
        event: .end, timestamp: 1_757_505_602, contentState: state,
        alert: Payload.AlertText(
            title: .plain("Delivered"), body: .key("done", arguments: ["", ","]),
            sound: "default"),
        staleDate: 1_757_507_400, dismissalDate: 1_757_506_500, relevanceScore: 100,
        start: Payload.Start(attributesType: "Pizza", attributes: Data("{}".utf8)))
    #expect(text(payload) == (try golden("end-with-alert")))
}

@Test func `a start that leaves the input to the phone names none`() {
    let payload = Payload(
        event: .start, timestamp: 1, contentState: Data("{}".utf8),
        start: Payload.Start(attributesType: "Pizza", attributes: Data(#"{"n":1}"#.utf8)))
    #expect(
        text(payload)
            == #"{"aps":{"timestamp":1,"event":"start","attributes-type":"Pizza","#
            + #""attributes":{"n":1},"content-state":{}}}"#)
}

/// What was folded and stored is what the phone gets, whatever encoder would write it otherwise.
@Test(arguments: [
    "{}", #"{ "b":1,"a" : 2 }"#, #"{"a":1,"a":2}"#, #"{"n":1.0e2,"t":"\u0041\/"}"#, "{\n}",
    #"{"driverName":"cafe\#u{301}"}"#,
])
func `a content state goes out in the bytes that it has`(json: String) {
    for event in [Payload.Event.start, .update, .end] {
        let payload = Payload(event: event, timestamp: 7, contentState: Data(json.utf8))
        let expected =
            #"{"aps":{"timestamp":7,"event":"\#(event.rawValue)","content-state":\#(json)}}"#
        #expect(payload.json == Array(expected.utf8))
    }
}

@Test func `a payload is as long as its state and an envelope of a fixed length`() {
    func count(_ event: Payload.Event, _ bytes: Int) -> Int {
        let state = Data("\"".utf8) + Data(repeating: 0x61, count: bytes - 2) + Data("\"".utf8)
        return Payload(event: event, timestamp: 1_757_505_600, contentState: state).json.count
    }
    for bytes in [2, 3, 3_072, 4_029, 4_096] {
        #expect(count(.update, bytes) == bytes + 66)
        #expect(count(.end, bytes) == bytes + 63)
        #expect(count(.start, bytes) == bytes + 65)
    }
}

/// What is allowed for alerts reckons with that: control characters are refused at the door.
@Test func `a text of an alert grows at most twofold`() {
    func count(_ body: String) -> Int {
        Payload(
            event: .update, timestamp: 1, contentState: state,
            alert: Payload.AlertText(title: "t", body: body, sound: "s")
        ).json.count
    }
    let empty = count("x") - 1
    for scalar in (0x20...0x3000).compactMap(Unicode.Scalar.init) {
        let text = String(repeating: Character(scalar), count: 3)
        let bytes = text.utf8.count
        let isEscaped = scalar == "\"" || scalar == "\\"
        #expect(count(text) - empty == (isEscaped ? 2 * bytes : bytes), "\(scalar.value)")
    }
}

@Test(
    arguments: [
        (0, "0.0"), (75, "75.0"), (-1.25, "-1.25"), (0.1, "0.1"), (1e21, "1e+21"),
        (.leastNonzeroMagnitude, "5e-324"), (.nan, nil), (-.infinity, nil), (.infinity, nil),
    ] as [(Double, String?)])
func `a relevance score is any number that JSON can write`(score: Double, json: String?) {
    let payload = Payload(
        event: .update, timestamp: 1, contentState: Data("{}".utf8), relevanceScore: score)
    let member = json.map { #","relevance-score":\#($0)"# } ?? ""
    #expect(
        text(payload)
            == #"{"aps":{"timestamp":1,"event":"update","content-state":{}\#(member)}}"#)
}

/// The dictionary as Apple documents it, read by a decoder that knows nothing of this module.
private struct Body: Decodable {
    struct Aps: Decodable {
        var timestamp: Int64
        var event: String
        var state: [String: String]
        var stale: Int64?
        var dismissal: Int64?
        var score: Double?
        var alert: [String: String]?
        var attributesType: String?
        var attributes: [String: Int]?
        var pushToken: Int?
        var channel: String?

        enum CodingKeys: String, CodingKey {
            case timestamp, event, alert, attributes
            case state = "content-state"
            case stale = "stale-date"
            case dismissal = "dismissal-date"
            case score = "relevance-score"
            case attributesType = "attributes-type"
            case pushToken = "input-push-token"
            case channel = "input-push-channel"
        }
    }

    var aps: Aps
}

@Test(arguments: 0..<200)
func `any payload says to a stock decoder what it was made of`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let payload = randomPayload(by: &generator)
    let aps = try JSONDecoder().decode(Body.self, from: Data(payload.json)).aps
    #expect(aps.event == payload.event.rawValue)
    #expect(aps.timestamp == payload.timestamp)
    #expect(aps.state == ["driverName": "Ada"])
    #expect(aps.stale == payload.staleDate)
    #expect(aps.dismissal == (payload.event == .end ? payload.dismissalDate : nil))
    #expect(aps.score == payload.relevanceScore)
    let start = payload.event == .start ? payload.start : nil
    #expect(aps.attributesType == start?.attributesType)
    #expect(aps.attributes == (start == nil ? nil : ["n": 1]))
    #expect(aps.pushToken == (start?.input == .pushToken ? 1 : nil))
    if case .channel(let id)? = start?.input {
        #expect(aps.channel == id)
    } else {
        #expect(aps.channel == nil)
    }
    #expect(aps.alert?["sound"] == payload.alert?.sound)
    #expect(plain(aps.alert?["title"]) == payload.alert?.title)
    #expect(plain(aps.alert?["body"]) == payload.alert?.body)
    #expect(payload.json.allSatisfy { $0 >= 0x20 }, "a control character is not escaped")
}

private func plain(_ text: String?) -> Payload.AlertText.Text? {
    text.map { Payload.AlertText.Text.plain($0) }
}

private func randomPayload(by generator: inout SeededGenerator) -> Payload {
    let pieces = ["a", "\"", "\\", "/", "\n", "\u{0}", "\u{1f}", "é", "🍕", "\u{2028}", " ", "}"]
    func flag() -> Bool { Bool.random(using: &generator) }
    func number() -> Int64 { Int64.random(in: .min ... .max, using: &generator) }
    func words() -> String {
        (0...Int.random(in: 0..<9, using: &generator)).map { _ in
            pieces[Int.random(in: 0..<pieces.count, using: &generator)]
        }.joined()
    }
    let events = [Payload.Event.start, .update, .end]
    var payload = Payload(
        event: events[Int.random(in: 0..<3, using: &generator)], timestamp: number(),
        contentState: Data(#"{"driverName":"Ada"}"#.utf8))
    if flag() { payload.staleDate = number() }
    if flag() { payload.dismissalDate = number() }
    if flag() { payload.relevanceScore = Double(number()) / 1_024 }
    if flag() {
        payload.alert = Payload.AlertText(title: words(), body: words(), sound: words())
    }
    if flag() {
        payload.start = Payload.Start(
            attributesType: words(), attributes: Data(#"{"n":1}"#.utf8))
        if flag() { payload.start?.input = flag() ? .pushToken : .channel(words()) }
    }
    return payload
}
