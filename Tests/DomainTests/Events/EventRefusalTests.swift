import Domain
import Foundation
import Testing

/// Bad input is refused with the place and the remedy, whatever the type.
struct EventRefusalTests {
    private static let placed: [String: String] = [
        "orderNumber": #""A-1""#, "numberOfPizzas": "2", "totalAmount": #""€24.00""#,
        "promisedAt": #""2026-03-06T18:35:00Z""#,
    ]

    private func refuse(
        _ type: String, _ data: String, schemaVersion: Int = 1
    ) throws -> EventRefusal {
        do {
            _ = try SchemaProbe.named(type).event(schemaVersion, Data(data.utf8))
        } catch let refusal as EventRefusal { return refusal }
        throw Accepted()
    }

    private struct Accepted: Error {}

    private func placed(_ field: String, _ value: String?) -> String {
        var members = Self.placed
        members[field] = value
        return "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    @Test(
        arguments: [
            ("orderNumber", nil, "is missing; send a string of 1 to 64 bytes"),
            ("orderNumber", "null", "is missing; send a string of 1 to 64 bytes"),
            ("orderNumber", "17", "must be a string"),
            ("orderNumber", #""""#, "must be a string of 1 to 64 bytes"),
            ("orderNumber", #""  ""#, "not blank"),
            ("orderNumber", "\"\u{00A0}\u{3000}\"", "not blank"),
            ("orderNumber", #""a\nb""#, "without control characters"),
            ("orderNumber", #""a\u0000b""#, "without control characters"),
            ("orderNumber", #""a\u2028b""#, "without control characters"),
            ("numberOfPizzas", nil, "is missing; send a whole number from 1 to 1000"),
            ("numberOfPizzas", "0", "must be a whole number from 1 to 1000"),
            ("numberOfPizzas", "-3", "must be a whole number"),
            ("numberOfPizzas", "1001", "must be a whole number"),
            ("numberOfPizzas", "2.5", "must be a whole number"),
            ("numberOfPizzas", "1e99", "must be a whole number"),
            ("numberOfPizzas", #""2""#, "must be a whole number"),
            ("numberOfPizzas", "true", "must be a whole number"),
            ("numberOfPizzas", "[2]", "must be a whole number"),
            ("promisedAt", nil, "is missing; send an RFC 3339 date and time with a zone"),
            ("promisedAt", "1671375600", "must be an RFC 3339"),
            ("promisedAt", #""2026-03-06T18:35:00""#, "must be an RFC 3339"),
            ("promisedAt", #""2026-02-30T18:35:00Z""#, "must be an RFC 3339"),
        ] as [(String, String?, String)])
    func `a bad field is named with its remedy`(
        field: String, value: String?, detail: String
    ) throws {
        let refusal = try refuse("PizzaDelivery.OrderPlaced", placed(field, value))
        #expect(refusal.problem == .invalidData)
        #expect(refusal.pointer == "/data/\(field)")
        #expect(refusal.detail.contains(detail), "\(refusal.detail)")
    }

    @Test func `a length is counted in bytes and the longest one passes`() throws {
        let longest = "\"" + String(repeating: "é", count: 32) + "\""
        #expect(throws: Accepted.self) {
            try refuse("PizzaDelivery.OrderPlaced", placed("orderNumber", longest))
        }
        let longer = "\"" + String(repeating: "é", count: 32) + "x\""
        let refusal = try refuse("PizzaDelivery.OrderPlaced", placed("orderNumber", longer))
        #expect(refusal.pointer == "/data/orderNumber")
    }

    @Test func `a bad choice lists what is allowed`() throws {
        let data = #"{"goalID":"g1","team":"HOME"}"#
        let refusal = try refuse("Match.GoalScored", data)
        #expect(refusal.pointer == "/data/team")
        #expect(refusal.detail == #"must be one of "home", "away""#)
    }

    @Test func `a shoot-out is no period that a clock runs in`() throws {
        let refusal = try refuse("Match.PeriodStarted", #"{"period":"shootout"}"#)
        #expect(refusal.pointer == "/data/period")
        #expect(!refusal.detail.contains("shootout"))
        #expect(refusal.detail.contains("\"extraTimeSecondHalf\""))
    }

    @Test func `a flag is neither a number nor a string`() throws {
        for value in ["1", "0", "\"true\"", "[]"] {
            let data = #"{"number":1,"team":"home","scored":\#(value)}"#
            let refusal = try refuse("Match.ShootoutKickTaken", data, schemaVersion: 1)
            #expect(refusal.pointer == "/data/scored")
            #expect(refusal.detail == "must be true or false")
        }
    }

    @Test func `an optional field may be absent or null but not wrong`() throws {
        let type = "PizzaDelivery.OrderAccepted"
        for data in ["{}", #"{"estimatedAt":null}"#] {
            #expect(throws: Accepted.self) { try refuse(type, data) }
        }
        #expect(try refuse(type, #"{"estimatedAt":"soon"}"#).pointer == "/data/estimatedAt")
    }

    @Test func `unknown fields are allowed`() {
        let data = #"{"vehicle":{"wheels":[2]},"driverName":"Mina Beispiel"}"#
        #expect(throws: Accepted.self) { try refuse("PizzaDelivery.DriverAssigned", data) }
    }

    @Test(arguments: ["", "[]", "null", "7", "\"x\"", "{", "{\"a\":}", "{} {}", "\u{FEFF}x"])
    func `data that are no object are refused as a whole`(data: String) throws {
        for type in ["PizzaDelivery.OrderDelivered", "PizzaDelivery.OrderAccepted"] {
            let refusal = try refuse(type, data)
            #expect(refusal.problem == .invalidData)
            #expect(refusal.pointer == "/data")
            #expect(refusal.detail.contains("must be a JSON object"))
        }
    }

    @Test(arguments: [0, -1, 2, 99])
    func `an unknown schema version is refused before the data are looked at`(version: Int) throws {
        let refusal = try refuse(
            "PizzaDelivery.OrderDelivered", "nonsense", schemaVersion: version)
        #expect(refusal.problem == .unknownSchemaVersion)
        #expect(refusal.pointer == "/schemaversion")
        #expect(refusal.detail.contains("schema version 1"))
    }

    @Test func `a refusal never repeats the value`() throws {
        let secret = "\"Hush Hush\\n\""
        let refusal = try refuse("PizzaDelivery.DriverAssigned", "{\"driverName\":\(secret)}")
        #expect(!refusal.detail.contains("Hush"))
    }
}
