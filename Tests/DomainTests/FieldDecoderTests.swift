import Foundation
import Testing

@testable import Domain

private struct Everything: EventPayload {
    enum Size: String, Codable { case small, large }

    static let type = "Test.Everything"
    static let fields: [EventField] = [
        .required("text", .text(bytesMax: 20)), .required("count", .integer(0...300)),
        .optional("at", .moment), .optional("size", .choice(["small", "large"])),
        .optional("isGift", .flag), .optional("level", .integer(0...300)),
        .optional("byte", .integer(0...300)),
    ]

    let text: String
    let count: Int
    let at: Moment?
    let size: Size?
    let isGift: Bool?
    let level: Double?
    let byte: UInt8?
}

private let schema = EventSchema(Everything.self) { $0 }

private func decoded(_ json: String) throws(EventRefusal) -> Everything {
    try schema.event(schemaVersion: 1, data: Data(json.utf8))
}

struct FieldDecoderTests {
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
            #"{"text":"a","count":2,"isGift":null,"isGift":true}"#,
            #"{"text":"\u0061","count":2,"isGift":null,"isGift":true}"#
        ),
    ])
    func `a payload is the same however its data are written`(plain: String, odd: String) throws {
        #expect(try decoded(plain) == decoded(odd))
    }

    @Test(arguments: [
        #"{"text":"a"}"#, #"{"text":"a","count":null}"#, #"{"text":"a","count":"2"}"#,
        #"{"text":"a","count":301}"#, #"{"text":"","count":1}"#, #"{"text":"a","count":1.5}"#,
        #"{"text":"a","count":1,"at":"noon"}"#, #"{"text":"a","count":1,"size":"huge"}"#,
        #"{"text":"a","count":1,"isGift":1}"#, #"{"text":"a","count":1,"byte":256}"#, "[]", "{",
        #"{"text":"a","count":1}x"#,
    ])
    func `data that do not fit are refused, plainly written or not`(json: String) {
        #expect(throws: EventRefusal.self) { try decoded(json) }
    }
}
