import Domain
import Foundation
import Projections
import Testing

@testable import API

/// Values that fit some field, nearly fit one, or fit none.
private let oddities = [
    "null", "true", "false", "0", "-0", "-1", "1.0", "1e2", "1.5", "9223372036854775807",
    "9223372036854775808", #""""#, #"" ""#, #""x""#, #""1""#, #""a\nb""#, #""2027-01-15""#,
    #""2027-01-15T08:40:00Z""#, "[]", "[1]", "{}", #"{"a":1}"#,
]

private func fitting(_ shape: EventField.Shape) -> JSON {
    switch shape {
    case .text: .string("Ada")
    case .integer(let range): .integer(max(range.lowerBound, min(range.upperBound, 1)))
    case .moment: .string("2027-01-15T08:40:00Z")
    case .choice(let values): .string(values.first ?? "")
    case .flag: .bool(true)
    }
}

private struct Shape {
    var type: String
    var fields: [EventField]

    var complete: [JSON.Member] {
        fields.map { JSON.Member(name: $0.name, value: fitting($0.shape)) }
    }

    func isAcceptedQuickly(_ members: [JSON.Member]) -> Bool {
        guard let data = JSONMembers(.object(members)) else { return false }
        return ActivityCatalog.accepts(type: type, schemaVersion: 1, data)
    }

    func isValid(_ members: [JSON.Member]) -> Bool {
        let data = Data(JSON.object(members).canonicalBytes)
        return (try? ActivityCatalog.validate(type: type, schemaVersion: 1, data: data)) != nil
    }
}

private let shapes: [Shape] = ActivityCatalog.kinds.flatMap { kind in
    func shapes<Kind: ActivityKind>(_ kind: Kind.Type) -> [Shape] {
        kind.schemas.map { Shape(type: $0.type, fields: $0.fields) }
    }
    return shapes(kind)
}

@Test func `every type of event passes the quick check when it is valid`() {
    #expect(shapes.count > 10)
    for shape in shapes {
        #expect(shape.isValid(shape.complete), "\(shape.type)")
        #expect(shape.isAcceptedQuickly(shape.complete), "\(shape.type)")
        let more = shape.complete + [JSON.Member(name: "more", value: ["a": .array([])])]
        #expect(shape.isAcceptedQuickly(more), "\(shape.type)")
    }
}

@Test func `what passes the quick check is valid`() throws {
    var refusedCount = 0
    for shape in shapes {
        for index in shape.fields.indices {
            var members = shape.complete
            for oddity in oddities {
                members[index].value = try JSONParser.parse(Array(oddity.utf8))
                if shape.isAcceptedQuickly(members) {
                    #expect(shape.isValid(members), "\(shape.type) \(members[index])")
                } else {
                    refusedCount += 1
                }
            }
            members.remove(at: index)
            #expect(!shape.isAcceptedQuickly(members) || shape.isValid(members), "\(shape.type)")
        }
    }
    #expect(refusedCount > 0)
}

@Test func `the quick check knows neither unknown types nor other versions`() throws {
    let data = try #require(JSONMembers(["driverName": "Ada"]))
    let type = "PizzaDelivery.DriverAssigned"
    #expect(ActivityCatalog.accepts(type: type, schemaVersion: 1, data))
    #expect(!ActivityCatalog.accepts(type: type, schemaVersion: 2, data))
    #expect(!ActivityCatalog.accepts(type: "PizzaDelivery.Eaten", schemaVersion: 1, data))
    #expect(JSONMembers(.array([])) == nil)
}
