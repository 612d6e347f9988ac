import Domain
import Foundation
import JSON
import TestSupport
import Testing

@testable import API

private let dataBytesMax = 400

private func plain(_ text: String) -> EventEntry? {
    PlainEventReader.entry(of: Array(text.utf8), dataBytesMax: dataBytesMax)
}

private func whole(_ text: String) -> EventEntry? {
    guard let json = try? JSONParser.parse(Array(text.utf8)) else { return nil }
    return EventEntry(
        json, index: nil, dataBytesMax: dataBytesMax, receivedAt: Moment(unixSeconds: 0))
}

private func batch(_ text: String) -> [EventEntry]? {
    PlainEventReader.entries(of: Array(text.utf8), dataBytesMax: dataBytesMax)
}

struct PlainEventReaderTests {
    @Test func `an event as most clients write it is read without a tree`() throws {
        let event = try #require(plain(SampleEvents.placed("o-1"))?.event)
        #expect(event.type == "PizzaDelivery.OrderPlaced")
        #expect(event == whole(SampleEvents.placed("o-1"))?.event)
    }

    @Test func `space, any order, unknown members and other letters are plain too`() throws {
        let text = """
             {"data" : { "orderNumber": "4ü𝄞", "zz": -1.25, "aa":null, "numberOfPizzas" :2,
            "totalAmount":"$3","promisedAt":"2027-01-15T08:40:00Z"}, "traceparent":"00-1",
            "id":"1","source":"/k","type":"PizzaDelivery.OrderPlaced","subject":"o",
            "specversion":"1.0",
            "time":"2027-01-15T08:00:00+01:00","expectedversion":0,"schemaversion":1 }\t\r\n
            """
        let entry = try #require(plain(text))
        #expect(entry.event == whole(text)?.event)
        #expect(entry.unknownFields == 2)
        #expect(entry.event?.expectedVersion == 0)
        #expect(entry.event?.extensions == Data(#"{"traceparent":"00-1"}"#.utf8))
        let data = try #require(entry.event?.data)
        #expect(String(decoding: data, as: UTF8.self).hasPrefix(#"{"aa":null,"numberOfPizzas":2,"#))
    }

    @Test(arguments: [
        "", "{}", "[]", "null", "{", SampleEvents.placed("o-1") + "x",
        SampleEvents.placed("o-1").replacing("1.0", with: "0.3"),
        SampleEvents.placed("o\\u0041"), SampleEvents.placed("o\u{7F}"), SampleEvents.placed(""),
        SampleEvents.placed("."), SampleEvents.placed(".."),
        SampleEvents.placed(String(repeating: "o", count: 201)), SampleEvents.placed("ö"),
        SampleEvents.placed("o-1").replacing("/kitchen/5", with: "a b"),
        SampleEvents.placed("o-1").replacing("OrderPlaced", with: "Odd"),
        SampleEvents.placed("o-1").replacing("08:00:00Z", with: "08:00:00"),
        SampleEvents.placed("o-1").replacing(":2,", with: ":-2,"),
        SampleEvents.placed("o-1").replacing(":2,", with: ":02,"),
        SampleEvents.placed("o-1").replacing(":2,", with: ":2e0,"),
        SampleEvents.placed("o-1").replacing(":2,", with: ":2,\"numberOfPizzas\":2,"),
        SampleEvents.placed("o-1").replacing("\"id\"", with: "\"id\":\"2\",\"id\""),
        SampleEvents.placed("o-1").replacing("\"id\"", with: "\"x\":\"2\",\"x\":1,\"id\""),
        SampleEvents.placed("o-1").replacing("\"id\"", with: "\"data_base64\":\"\",\"id\""),
        SampleEvents.placed("o-1").replacing("\"id\"", with: "\"expectedVersion\":1,\"id\""),
        SampleEvents.placed("o-1").replacing("\"id\"", with: "\"expectedvesrion\":1,\"id\""),
        SampleEvents.placed("o-1").replacing("\"id\"", with: "\"dataschema\":\"\",\"id\""),
        SampleEvents.placed("o-1").replacing("\"id\"", with: "\"x\":1.5,\"id\""),
        SampleEvents.placed("o-1").replacing("\"id\"", with: "\"x\":2147483648,\"id\""),
        SampleEvents.placed("o-1").replacing("\"id\"", with: "\"recordedat\":\"x\",\"id\""),
        SampleEvents.placed("o-1").replacing("{\"order", with: "{\"x\":{},\"order"),
        SampleEvents.placed("o-1").replacing(
            "{\"order", with: "{\"x\":\"\(String(repeating: "x", count: 400))\",\"order"),
    ])
    func `what is odd or wrong is left to the reader that explains`(text: String) {
        #expect(plain(text) == nil)
    }

    @Test func `text that is not UTF-8 is left to the reader that explains`() {
        let text = Array(SampleEvents.assigned("o-1", driver: "??").utf8)
        let start = text.firstIndex(of: UInt8(ascii: "?")) ?? 0
        for bad: [UInt8] in [
            [0xC0, 0x80], [0x80, 0x80], [0xC3, 0x28], [0xFF, 0xFE], [0xE2, 0x82], [0xF4, 0x90],
        ] {
            var body = text
            body.replaceSubrange(start..<(start + 2), with: bad)
            #expect(PlainEventReader.entry(of: body, dataBytesMax: dataBytesMax) == nil)
        }
    }

    @Test func `a batch is plain when each of its events is`() throws {
        let one = SampleEvents.placed("o-1", id: "1")
        let two = SampleEvents.assigned("o-2", id: "2")
        let entries = try #require(batch("[\(one) , \(two)]"))
        #expect(entries.map(\.root) == ["/0", "/1"])
        #expect(entries.map(\.event) == [whole(one)?.event, whole(two)?.event])
        #expect(batch("[\(one),]") == nil)
        #expect(batch("[\(one),{}]") == nil)
        #expect(batch("[]") == nil)
        #expect(batch(one) == nil)
    }

    /// Turns an event into a neighbour of itself: most are still JSON, few are still events.
    private func mutated(_ text: String, _ random: inout SeededGenerator) -> String {
        var bytes = Array(text.utf8)
        let alphabet = Array(#"{}[]":,\0123456789.eE+-tfnulé x"#.utf8)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let byte = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[place] = byte
            case 1: bytes.insert(byte, at: place)
            default: bytes.remove(at: place)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: 0..<8) func `both readers agree on every event that both accept`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let originals = [
            SampleEvents.placed("o-1"), SampleEvents.assigned("o-1", driver: "Zoë"),
            SampleEvents.event(
                id: "7", type: "PizzaDelivery.DriverLocated", subject: "o-1",
                data: #"{"b":1.50,"a":[],"distanceMeters":12.0,"c":true}"#,
                extra: #""schemaversion":1,"expectedversion":12,"#),
        ]
        var accepted = 0
        for round in 0..<4_000 {
            let text = mutated(originals[round % originals.count], &random)
            guard let entry = plain(text) else { continue }
            accepted += 1
            let other = whole(text)
            try #require(other?.event == entry.event, "\(text)")
            try #require(other?.unknownFields == entry.unknownFields, "\(text)")
        }
        #expect(accepted > 100)
    }
}
