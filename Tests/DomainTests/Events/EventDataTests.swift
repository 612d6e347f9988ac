import Foundation
import TestSupport
import Testing

@testable import Domain

private struct Everything: Equatable {
    enum Size: String, CaseIterable { case small, large }

    let text: String
    let count: Int
    let at: Moment?
    let size: Size?
    let isGift: Bool
    let level: Int?
    let firstAt: Moment
    let kind: Size

    init(_ data: inout EventData) throws {
        text = try data.text("text", bytesMax: 20)
        count = try data.integer("count", in: 0...300, sample: 7)
        at = try data.optionalMoment("at")
        size = try data.optionalChoice("size")
        isGift = try data.flag("isGift")
        level = try data.optionalInteger("level", in: 0...300)
        firstAt = try data.moment("firstAt")
        kind = try data.choice("kind", among: [.large])
    }
}

private let schema = EventSchema("Test.Everything", "All there is.") { try Everything(&$0) }

private func decoded(_ json: String) throws(EventRefusal) -> Everything {
    // Those that each of them has.
    let gift = json.contains("isGift") ? "" : #""isGift":true,"#
    let rest = #"{"kind":"large","firstAt":"2027-01-15T08:00:00Z","# + gift
    let whole = json.contains("\"text\"") ? rest + json.dropFirst() : json
    return try schema.event(schemaVersion: 1, data: Data(whole.utf8))
}

struct EventDataTests {
    /// The same values, written in ways that the plain reader takes and leaves.
    @Test(arguments: [
        (#"{"text":"a","count":2}"#, #"{"text":"\u0061","count":2}"#),
        (
            #"{ "count" : 0 , "text":"Zoë","at":"2027-01-15T08:00:00Z","x":1.5,"y":null}"#,
            #"{"count":0e0,"text":"Zo\u00eb","at":"2027-01-15T08:00:00Z","x":[],"y":{}}"#
        ),
        (
            #"{"text":"a","count":3,"size":"large","isGift":true,"level":7,"byte":255}"#,
            #"{"text":"a","count":3,"size":"l\u0061rge","isGift":true,"level":7.0,"byte":255}"#
        ),
        (
            #"{"text":"a","count":2.0,"at":null,"size":null,"isGift":false}"#,
            #"{"text":"\u0061","count":2,"at":null,"size":null,"isGift":false}"#
        ),
        // By one name twice.
        (#"{"text":"a","text":"b","count":2}"#, #"{"text":"\u0061","text":"b","count":2}"#),
        (
            #"{"text":"a","count":2,"level":null,"level":7}"#,
            #"{"text":"\u0061","count":2,"level":null,"level":7}"#
        ),
    ])
    func `a payload is the same however its data are written`(plain: String, odd: String) throws {
        #expect(try decoded(plain) == decoded(odd))
    }

    @Test func `a table of fields is made of what a type asks for`() {
        #expect(
            schema.fields.map(\.name) == [
                "text", "count", "at", "size", "isGift", "level", "firstAt", "kind",
            ])
        #expect(
            schema.fields.filter { !$0.isRequired }.map(\.name) == ["at", "size", "level"])
        #expect(schema.fields.last?.shape == .choice(["large"]))
        let sample = String(decoding: schema.eventType.sampleData, as: UTF8.self)
        #expect(sample.contains("  \"count\": 7,\n") && sample.contains("\"size\": \"small\""))
    }

    @Test func `a type that asks in another order reads nothing wrong`() throws {
        let odd = EventSchema("Test.Odd", "It asks in two orders.") { data in
            if try data.flag("isFirst") { return try data.integer("a", in: 0...9) }
            return try data.text("b", bytesMax: 9).count
        }
        #expect(try odd.event(schemaVersion: 1, data: Data(#"{"isFirst":true,"a":3}"#.utf8)) == 3)
        let refusal = #expect(throws: EventRefusal.self) {
            try odd.event(schemaVersion: 1, data: Data(#"{"isFirst":false,"a":3}"#.utf8))
        }
        // Data that are no object are the sender's mistake, and these are the kind's.
        #expect(refusal?.detail.contains("the schema of Test.Odd must ask for all of them") == true)
    }

    @Test func `two fields of one name end the program with a sentence`() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = EventSchema("Test.Twice", "It asks twice.") {
                try $0.integer("level", in: 0...9) + $0.integer("level", in: 0...9)
            }
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("a type of event asks for the field level twice"), "\(said)")
    }

    @Test func `a personal field that an erasure has no room in ends the program with a sentence`()
        async throws
    {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = EventSchema("Test.Short", "It is too short.") {
                try $0.text("name", bytesMax: 8, isPersonal: true)
            }
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("the personal field name must have bytesMax 16 or more"), "\(said)")
    }

    @Test(arguments: [
        #"{"text":"a"}"#, #"{"text":"a","count":null}"#, #"{"text":"a","count":"2"}"#,
        #"{"text":"a","count":301}"#, #"{"text":"","count":1}"#, #"{"text":"a","count":1.5}"#,
        #"{"text":"a","count":1,"at":"noon"}"#, #"{"text":"a","count":1,"size":"huge"}"#,
        #"{"text":"a","count":1,"isGift":1}"#, #"{"text":"a","count":1,"level":301}"#, "[]", "{",
        #"{"text":"a","count":1}x"#,
    ])
    func `data that do not fit are refused, plainly written or not`(json: String) {
        #expect(throws: EventRefusal.self) { try decoded(json) }
    }
}
