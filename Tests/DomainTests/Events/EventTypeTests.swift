import Domain
import Foundation
import Projections
import Testing

/// The check at the door and the decoder behind it must agree: what the one lets in, the other has
/// to read for ever.
struct EventTypeTests {
    @Test func `all problems are listed at once, in the order of the fields`() throws {
        let type = try #require(PizzaDeliveryKind.schemas.first?.eventType)
        let refusals = type.refusals(schemaVersion: 1) { name in
            ["orderNumber": .text(" "), "numberOfPizzas": .other][name]
        }
        #expect(
            refusals.map(\.pointer) == [
                "/data/orderNumber", "/data/numberOfPizzas", "/data/totalAmount",
                "/data/promisedAt",
            ])
        #expect(refusals.allSatisfy { $0.problem == .invalidData })
        #expect(type.refusals(schemaVersion: 7) { _ in nil }.map(\.pointer) == ["/schemaversion"])
    }

    @Test(arguments: ["2026-05-01T12:00:60Z", "2026-05-01 12:00:00Z"])
    func `a time that is no longer taken is read where it was recorded`(time: String) throws {
        let type = try #require(
            PizzaDeliveryKind.schemas.map(\.eventType).first {
                $0.name == "PizzaDelivery.EstimateRevised"
            })
        func pointers(isStored: Bool) -> [String] {
            type.refusals(schemaVersion: 1, isStored: isStored) { name in
                name == "estimatedAt" ? .text(time) : nil
            }.map(\.pointer)
        }
        #expect(pointers(isStored: false) == ["/data/estimatedAt"])
        #expect(pointers(isStored: true).isEmpty)
        let data = Data("{\"estimatedAt\":\"\(time)\"}".utf8)
        _ = try SchemaProbe.named(type.name).event(1, data)
    }

    private static let texts = [
        "null", "true", "false", "0", "-0", "1", "1.0", "10e-1", "1.5", "1e400", "9e18",
        "9223372036854775807", "9223372036854775808", #""1""#, #""""#, #"" ""#, #""x""#, #""a\nb""#,
        #""2026-05-01T12:00:00Z""#, #""2026-05-01T12:00:00""#, #""home""#, #""firstHalf""#,
        #""openPlay""#, "[]", "[1]", "{}",
    ]

    private func value(_ text: String) -> FieldValue? {
        switch text.first {
        case "n": nil
        case "t", "f": .flag(text == "true")
        case "[", "{": .other
        case "\"":
            (try? JSONDecoder().decode(String.self, from: Data(text.utf8))).map(FieldValue.text)
        default: FieldValue(number: text)
        }
    }

    @Test(arguments: SchemaProbe.all)
    func `the check agrees with the decoder on every field and value`(probe: SchemaProbe) throws {
        for (index, fields) in probe.eventType.versions.enumerated() {
            for field in fields {
                for text in Self.texts {
                    let members = fields.map {
                        "\"\($0.name)\":\($0 == field ? text : $0.literal)"
                    }
                    let data = Data("{\(members.joined(separator: ","))}".utf8)
                    let decodes = (try? probe.event(index + 1, data)) != nil
                    let passes = field.refusal(of: value(text)) == nil
                    #expect(passes == decodes, "v\(index + 1) \(field.name) \(text)")
                }
            }
        }
    }

    /// What cannot be meant is refused at the door. Logs have it, and are folded as they were.
    @Test(arguments: [
        ("orderNumber", "\"\u{200B}\"", "and not of invisible characters alone"),
        ("orderNumber", "\"\u{FEFF} \u{3164}\u{2800}\"", "and not of invisible characters alone"),
        ("orderNumber", "\"\u{AD}\u{E0041}\u{FE0F}\"", "and not of invisible characters alone"),
        ("orderNumber", "\"\u{202E}\u{2066} \u{2069}\"", "and not of invisible characters alone"),
        ("orderNumber", "\"\u{FFF9}\u{FFFB}\"", "and not of invisible characters alone"),
        ("numberOfPizzas", "2.00000000000000000001", "without a fraction"),
        ("promisedAt", #""0000-03-06T18:35:00Z""#, "in the years 0001 to 9999"),
        ("promisedAt", #""0001-01-01T00:00:00+01:00""#, "in the years 0001 to 9999"),
        (
            "promisedAt", #""2026-03-06 18:35:00Z""#,
            "with a `T` between the date and the time of the day"
        ),
        (
            "promisedAt", #""2026-03-06T18:35:60Z""#,
            "with a second from 00 to 59, as no leap second can be then"
        ),
    ])
    func `a slip is refused with its remedy, and is read where a log has it`(
        name: String, text: String, remedy: String
    ) throws {
        let type = try #require(PizzaDeliveryKind.schemas.first?.eventType)
        let value = value(text)
        let refusal = try #require(
            type.refusals(schemaVersion: 1) { $0 == name ? value : nil }.first {
                $0.pointer == "/data/\(name)"
            })
        #expect(refusal.detail.hasPrefix("must be "))
        #expect(refusal.detail.hasSuffix(", \(remedy)"), "\(refusal.detail)")
        let fields = try #require(type.versions.first)
        let members = fields.map { "\"\($0.name)\":\($0.name == name ? text : $0.literal)" }
        let data = Data("{\(members.joined(separator: ","))}".utf8)
        _ = try SchemaProbe.named("PizzaDelivery.OrderPlaced").event(1, data)
    }

    @Test(arguments: [
        ("orderNumber", "\"👩\u{200D}🚀\""), ("orderNumber", "\"\u{200F}א\""),
        ("orderNumber", "\"1\u{FEFF}\""), ("promisedAt", #""0001-01-01T00:00:00Z""#),
        ("numberOfPizzas", "2.000"),
    ])
    func `what looks like a slip and is none is taken`(name: String, text: String) throws {
        let type = try #require(PizzaDeliveryKind.schemas.first?.eventType)
        let value = value(text)
        let pointers = type.refusals(schemaVersion: 1) { $0 == name ? value : nil }
            .map(\.pointer)
        #expect(!pointers.contains("/data/\(name)"))
    }
}
