import Domain
import Foundation
import Testing

@testable import Archive

extension EventLine {
    static func bytes(of recorded: RecordedEvent) -> [UInt8] {
        var line: [UInt8] = []
        append(recorded, to: &line)
        return line
    }

    static func event(_ line: some Sequence<UInt8>) throws(ArchiveError) -> RecordedEvent {
        try event(Array(line), of: "events-000001.ndjson", number: 1)
    }
}

struct `A line of an export` {
    private func line(_ event: NewEvent) -> [UInt8] {
        EventLine.bytes(
            of: RecordedEvent(
                tenant: TenantID(rawValue: 1), position: 17, version: 3,
                recordedAt: Moment(microseconds: 1_700_000_000_123_456), event: event))
    }

    private func event(id: String = "e-1", data: String = "{}") -> NewEvent {
        NewEvent(
            id: id, source: "/kitchen/5", type: "Sample.Happened", schemaVersion: 2,
            activityID: ActivityID(rawValue: "order-1"), occurredAt: Moment(unixSeconds: -1),
            data: Data(data.utf8))
    }

    @Test(arguments: [
        "plain", "\"quoted\"", "back\\slash", "tab\tand\u{1}control", "Zürich 🍕 e\u{301}",
        ",\"data\":{}", "\u{2028}", "\u{7F}",
    ])
    func `gives back every id as it was`(id: String) throws {
        let original = event(id: id)
        let bytes = line(original)
        #expect(bytes.filter { $0 == UInt8(ascii: "\n") }.count == 1)
        let read = try EventLine.event(bytes.dropLast())
        #expect(read.event == original)
        #expect((read.position, read.version) == (17, 3))
        #expect(read.recordedAt == Moment(microseconds: 1_700_000_000_123_456))
    }

    @Test(arguments: [
        #"{"price": 12.50, "big": 123456789012345678901234567890.10}"#,
        #"{"data": {"data": {}}, "a": [1, {"data": "}"}]}"#, "{}",
    ])
    func `leaves data untouched to the last digit`(data: String) throws {
        let read = try EventLine.event(line(event(data: data)).dropLast())
        #expect(read.event.data == Data(data.utf8))
    }

    /// Each is added to somewhere.
    @Test(arguments: [
        (#""position":17"#, #""position":9223372036854775807"#),
        (#""version":3"#, #""version":9223372036854775807"#),
        (#""version":3"#, #""version":0"#),
        (#""schemaversion":2"#, #""schemaversion":-9223372036854775808"#),
    ])
    func `has no number that no event has`(right: String, wrong: String) {
        let text = String(decoding: line(event()).dropLast(), as: UTF8.self)
        #expect(text.contains(right))
        let other = text.replacingOccurrences(of: right, with: wrong)
        #expect(throws: ArchiveError.self) { try EventLine.event(Array(other.utf8)) }
    }

    @Test func `gives back the attributes that are kept`() throws {
        var original = event()
        original.extensions = Data(
            #"{"flag":true,"n":-1,"x":"a \"b\" /c\u0301, \"data\":{}"}"#.utf8)
        let read = try EventLine.event(line(original).dropLast())
        let (kept, known) = (try #require(read.event.extensions), original.extensions ?? Data())
        #expect(
            try JSONDecoder().decode([String: Kept].self, from: kept)
                == JSONDecoder().decode([String: Kept].self, from: known))
    }

    @Test(arguments: ["null", "1.5", #"{"a":1}"#, "[1]"])
    func `keeps no attribute that no event has`(value: String) {
        var original = event()
        original.extensions = Data(#"{"n":-1}"#.utf8)
        let text = String(decoding: line(original).dropLast(), as: UTF8.self)
        #expect(text.contains(#""n":-1"#))
        let other = text.replacingOccurrences(of: #""n":-1"#, with: "\"n\":\(value)")
        #expect(throws: ArchiveError.self) { try EventLine.event(Array(other.utf8)) }
    }

    private enum Kept: Decodable, Equatable {
        case flag(Bool)
        case number(Int)
        case text(String)

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let flag = try? value.decode(Bool.self) {
                self = .flag(flag)
            } else if let number = try? value.decode(Int.self) {
                self = .number(number)
            } else {
                self = .text(try value.decode(String.self))
            }
        }
    }

    @Test func `is JSON with the members that the API gives`() throws {
        let object =
            try JSONSerialization.jsonObject(
                with: Data(line(event(data: #"{"n":1}"#)))) as? [String: Any]
        #expect(
            Set(try #require(object).keys) == [
                "specversion", "id", "source", "type", "subject", "time", "datacontenttype",
                "schemaversion", "position", "version", "recordedat", "data",
            ])
    }

    @Test(arguments: [
        "", "{}", "null", #"{"specversion":"1.0","data":{}}"#,
        #"{"data":{},"specversion":"1.0"}"#, "\u{0}", #","data":"#, #"x,"data":{}}"#,
    ])
    func `that is no event is refused`(text: String) {
        #expect(throws: ArchiveError.self) { try EventLine.event(Array(text.utf8)) }
    }

    @Test(arguments: [
        (#""position":17"#, #""position":0"#), (#""position":17"#, #""position":17.5"#),
        (#""version":3"#, #""version":-1"#), (#""specversion":"1.0""#, #""specversion":"2.0""#),
        (#""time":"1969-12-31T23:59:59Z""#, #""time":"1969-12-31T23:59:59""#),
        (#""id":"e-1","#, ""), (#""position":17"#, #""data" :1,"position":17"#),
    ])
    func `with an attribute that no event has is refused`(good: String, bad: String) {
        let text = String(decoding: line(event()).dropLast(), as: UTF8.self)
        #expect(text.contains(good))
        #expect(throws: ArchiveError.self) {
            try EventLine.event(Array(text.replacing(good, with: bad).utf8))
        }
    }
}
