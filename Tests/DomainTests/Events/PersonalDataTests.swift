import Domain
import Foundation
import JSON
import TestSupport
import Testing

private struct Placed: Sendable {
    let customer: String
    let pizzas: Int
    let note: String?

    init(_ data: inout EventData) throws {
        customer = try data.text("customer", bytesMax: 60, isPersonal: true)
        pizzas = try data.integer("pizzas", in: 1...100)
        note = try data.optionalText("note", bytesMax: 140, isPersonal: true)
    }
}

/// Version 1 had one name, version 2 has it in two parts.
private let placed = EventSchema(
    "Bakery.Placed", "An order.",
    olderVersions: [
        OlderVersion("`name` is the customer") { data in
            _ = try data.text("name", bytesMax: 60, isPersonal: true)
            _ = try data.integer("pizzas", in: 1...100)
        } upcast: { data in
            data["customer"] = data["name"]
        }
    ]
) { try Placed(&$0) }

struct `The data of a person in an event` {
    private let personal = PersonalData([placed.eventType])

    private func erased(
        _ json: String, type: String = "Bakery.Placed", version: Int = 2
    ) -> String? {
        personal.replacing(in: Data(json.utf8), of: type, schemaVersion: version) { _ in
            .string("erased-1")
        }.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `are replaced, and all else stays to the byte and in its order`() {
        #expect(
            erased(#"{ "pizzas" : 2.0, "customer":"Mina", "note":"ring \u0041 twice" }"#)
                == #"{"pizzas":2.0,"customer":"erased-1","note":"erased-1"}"#)
    }

    /// Nobody knows what they are, so they may be anything.
    @Test func `are what no schema names, whatever it has`() {
        #expect(
            erased(#"{"customer":"Mina","pizzas":2,"phone":[{"no":7}],"isVIP":true,"pets":0}"#)
                == #"{"customer":"erased-1","pizzas":2,"phone":"erased-1","isVIP":"erased-1","#
                + #""pets":"erased-1"}"#)
    }

    @Test func `are everything in an event of a type that nobody knows`() {
        #expect(
            erased(#"{"customer":"Mina","pizzas":2}"#, type: "Bakery.Eaten")
                == #"{"customer":"erased-1","pizzas":"erased-1"}"#)
        #expect(
            erased(#"{"customer":"Mina","pizzas":2}"#, version: 3)
                == #"{"customer":"erased-1","pizzas":"erased-1"}"#)
    }

    @Test func `are those of the event's own schema version`() {
        #expect(
            erased(#"{"name":"Mina","pizzas":2}"#, version: 1)
                == #"{"name":"erased-1","pizzas":2}"#)
        // It is no field of version 2, which does not make it less personal.
        #expect(
            erased(#"{"name":"Mina","pizzas":2}"#, version: 2)
                == #"{"name":"erased-1","pizzas":2}"#)
    }

    @Test func `are not the same for names that look alike`() {
        #expect(
            erased("{\"pizzas\":2,\"pi\u{7A}\u{302}zas\":3}")
                == "{\"pizzas\":2,\"pi\u{7A}\u{302}zas\":\"erased-1\"}")
    }

    /// Only the first counts to everyone who reads it, so the second must not stay behind.
    @Test func `leave nothing behind in a second member of one name`() throws {
        let rest = try #require(erased(#"{"customer":"Mina","pizzas":2,"customer":"Mina B."}"#))
        #expect(!rest.contains("Mina"))
    }

    @Test func `are nothing where nothing is said`() {
        #expect(erased(#"{"pizzas":2,"note":null}"#) == nil)
        #expect(erased("{}") == nil)
    }

    @Test func `are not asked for where they are null`() {
        var asked: [JSON] = []
        _ = personal.replacing(
            in: Data(#"{"customer":"Mina","note":null,"pizzas":2}"#.utf8), of: "Bakery.Placed",
            schemaVersion: 2
        ) { value in
            asked.append(value)
            return value
        }
        #expect(asked == [.string("Mina")])
    }

    @Test func `are replaced once: doing it again changes nothing`() throws {
        let once = try #require(erased(#"{"customer":"Mina","pizzas":2,"note":"a"}"#))
        #expect(erased(once) == nil)
    }

    @Test(arguments: ["", "[]", "null", "\"Mina\"", "{", #"{"customer":"Mina"} x"#])
    func `are nowhere in what is no object`(json: String) {
        #expect(erased(json) == nil)
    }

    @Test func `are found as deep as anything is read`() {
        func nested(_ depth: Int) -> String {
            let brackets = ["[", "]"].map { String(repeating: $0, count: depth) }
            return #"{"pizzas":2,"x":"# + brackets.joined() + "}"
        }
        #expect(erased(nested(511)) == #"{"pizzas":2,"x":"erased-1"}"#)
        #expect(erased(nested(512)) == nil)
    }

    @Test func `are known by what an erasure leaves`() {
        for mark in ["erased-1", "erased-042", "erased-999999999", "erased-91cc73a1"] {
            #expect(PersonalData.isErased(.string(mark)), "\(mark)")
            #expect(mark.utf8.count <= PersonalData.erasedBytesMax)
        }
        let others = [JSON.string("Erased-1"), .string("unerased-1"), .number("1"), .null]
        for value in others {
            #expect(!PersonalData.isErased(value))
        }
    }

    @Test(arguments: [
        "erased-", "erased-by Ada Lovelace", "erased-1 ", "erased-1\n", "erased-1234567890",
        "erased-91cc73a", "erased-91cc73a12", "erased-91CC73A1", "erased-ada", "erased-٣",
    ])
    func `are still there in a text that only begins like a mark`(text: String) {
        #expect(!PersonalData.isErased(.string(text)))
    }
}

struct `An event of an older schema version` {
    private static let schema = EventSchema(
        "Bakery.Baked", "A pizza is baked.",
        olderVersions: [
            OlderVersion("`minutes` is seconds") { data in
                _ = try data.integer("seconds", in: 0...6000)
            } upcast: { data in
                let minutes = (data["seconds"]?.wholeNumber ?? 0) / 60
                data["minutes"] = .integer(minutes)
                data["seconds"] = nil
            },
            OlderVersion("`oven` is new") { data in
                _ = try data.integer("minutes", in: 0...10)
            } upcast: { data in
                data["oven"] = .string("stone")
            },
        ]
    ) { data in
        "\(try data.integer("minutes", in: 0...10)) \(try data.text("oven", bytesMax: 10))"
    }

    private func read(_ json: String, _ version: Int) throws -> String {
        try Self.schema.event(schemaVersion: version, data: Data(json.utf8))
    }

    @Test func `becomes one of the newest, step by step`() throws {
        #expect(try read(#"{"seconds":300}"#, 1) == "5 stone")
        #expect(try read(#"{"minutes":5}"#, 2) == "5 stone")
        #expect(try read(#"{"minutes":5,"oven":"steel"}"#, 3) == "5 steel")
    }

    @Test func `is checked by the fields of its own version`() {
        let refusal = #expect(throws: EventRefusal.self) { try read(#"{"minutes":5}"#, 1) }
        #expect(refusal?.pointer == "/data/seconds")
        #expect(refusal?.detail.hasPrefix("is missing; send a whole number from 0 to 6000") == true)
    }

    /// A released version takes more than the newest can have: better refused than read wrongly.
    @Test func `is refused where what becomes of it does not fit`() {
        let refusal = #expect(throws: EventRefusal.self) { try read(#"{"seconds":6000}"#, 1) }
        #expect(refusal?.pointer == "/data/minutes")
    }

    @Test func `has the fields and the changes of each version`() {
        let type = Self.schema.eventType
        #expect(type.newestVersion == 3)
        #expect(type.changes == ["`minutes` is seconds", "`oven` is new"])
        #expect(type.fields(of: 1)?.map(\.name) == ["seconds"])
        #expect(type.fields(of: 3)?.map(\.name) == ["minutes", "oven"])
        for version in [0, -1, 4, .min, .max] { #expect(type.fields(of: version) == nil) }
    }

    @Test(arguments: [0, 4, -1, Int.min, .max])
    func `is none if the version was never released`(version: Int) {
        let refusal = #expect(throws: EventRefusal.self) { try read("{}", version) }
        #expect(
            refusal?.detail
                == "Bakery.Baked has schema versions 1 to 3; send one of them, or omit it for "
                + "version 1")
        #expect(refusal?.problem == .unknownSchemaVersion)
    }
}
