import Domain
import Foundation
import JSON
import Testing

struct `The value of a field` {
    @Test(arguments: [
        ("2", 2), ("2.0", 2), ("2e0", 2), ("20e-1", 2), ("0.2E+1", 2), ("-0", 0), ("-0.0", 0),
        ("1e3", 1000), ("9223372036854775807", Int.max), ("-9223372036854775808", .min),
        ("0.000", 0), ("-7.00", -7), ("0e99999999999999999999", 0), ("1200e-2", 12),
        ("0.0012e4", 12), ("0e-99999999999999999999", 0),
    ])
    func `is a whole number however it is written`(literal: String, number: Int) {
        #expect(FieldValue(number: literal) == .integer(number))
    }

    @Test(arguments: ["1.5", "1e-1", "1e400", "-1e400", "9223372036854775808", "1e19", "", "x"])
    func `is no whole number otherwise`(literal: String) {
        #expect(FieldValue(number: literal) == .other)
    }

    @Test(arguments: [
        ("2.00000000000000000001", 2), ("1.99999999999999999999", 2), ("1e-400", 0),
        ("20000000000000000000001e-22", 2), ("-3.00000000000000000000004", -3),
        ("1e-99999999999999999999", 0),
    ])
    func `is no whole number where a fraction is too small for others to see`(
        literal: String, nearest: Int
    ) {
        #expect(FieldValue(number: literal) == .rounded(nearest))
    }

    @Test func `is nothing where JSON has nothing or null`() {
        #expect(FieldValue(nil as JSON?) == nil)
        #expect(FieldValue(.null) == nil)
        #expect(FieldValue(.bool(false)) == .flag(false))
        #expect(FieldValue(.string("")) == .text(""))
        for json in [JSON.array([]), .object([]), .encoded(Data("1".utf8))] {
            #expect(FieldValue(json) == .other)
        }
    }

    /// Two readers: one for what is plainly written, and one that takes everything.
    @Test(arguments: [
        "null", "true", "false", "0", "-1", "12", "1.0", "1.5", "-0.00", "123456789012345",
        "0.123456789", "\"\"", "\"a\"", "\"Zoë 🍕\"", "\"2\"",
    ])
    func `is the same for either reader`(literal: String) throws {
        let text = "{\"first\":1,\"field\":\(literal),\"last\":\"x\"}"
        let parsed = try JSONParser.parse(Array(text.utf8))
        Array(text.utf8).withUnsafeBufferPointer { bytes in
            var scanner = PlainJSONScanner(bytes)
            let object = PlainObject(&scanner)
            #expect(object != nil)
            #expect(object?.field("field") == FieldValue(parsed["field"]))
            #expect(object?.has("field") == true)
            #expect(object?.field("fiel") == nil)
            #expect(object?.field("last") == .text("x"))
        }
    }
}

struct `The largest data of an event` {
    @Test(arguments: SchemaProbe.all)
    func `pass, whatever is left out and however late it is`(probe: SchemaProbe) throws {
        for isComplete in [true, false] {
            for isLate in [true, false] {
                let data = probe.eventType.largestData(isComplete: isComplete, isLate: isLate)
                _ = try probe.event(probe.eventType.newestVersion, data)
                let fields = probe.newestFields.filter { isComplete || $0.isRequired }
                let object = try JSONParser.parse(Array(data))
                #expect(fields.allSatisfy { object[$0.name] != nil })
                #expect(
                    Set(probe.newestFields.map(\.name)).subtracting(fields.map(\.name))
                        .allSatisfy { object[$0] == nil })
            }
        }
    }

    @Test(arguments: SchemaProbe.all)
    func `have texts that are as long as may be, and no longer`(probe: SchemaProbe) throws {
        let object = try JSONParser.parse(Array(probe.eventType.largestData()))
        for field in probe.newestFields {
            guard case .text(let bytesMax) = field.shape else { continue }
            let text = try #require(object[field.name]?.text)
            #expect(text.utf8.count == bytesMax, "\(field.name)")
            #expect(field.refusal(of: .text(text)) == nil)
            #expect(field.refusal(of: .text(text + "x"))?.pointer == "/data/\(field.name)")
        }
    }

    @Test(arguments: SchemaProbe.all)
    func `have numbers at the bound, beyond which is refused`(probe: SchemaProbe) {
        for field in probe.newestFields {
            guard case .integer(let range) = field.shape else { continue }
            #expect(field.refusal(of: .integer(range.lowerBound)) == nil)
            #expect(field.refusal(of: .integer(range.upperBound)) == nil)
            for number in [range.lowerBound - 1, range.upperBound + 1] {
                let refusal = field.refusal(of: .integer(number))
                #expect(refusal?.detail == "must be \(field.expectation)")
            }
        }
    }

    /// What is personal is replaced by a text, and the text has to fit.
    @Test(arguments: SchemaProbe.all)
    func `have room for what an erasure leaves`(probe: SchemaProbe) {
        let left = PersonalData.erasedPrefix.padding(
            toLength: PersonalData.erasedBytesMax, withPad: "f", startingAt: 0)
        for field in probe.newestFields where field.isPersonal {
            #expect(field.refusal(of: .text(left)) == nil, "\(field.name)")
            #expect(field.disclosure != .open, "\(field.name) is personal and open")
        }
    }
}
