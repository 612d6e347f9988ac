import Domain
import Foundation
import Testing

struct EventSchemaTests {
    /// The smallest text that each field takes.
    private func sample(_ shape: EventField.Shape) -> String {
        switch shape {
        case .text: "\"x\""
        case .integer(let range): "\(range.lowerBound)"
        case .moment: "\"2026-05-01T12:00:00Z\""
        case .choice(let values): "\"\(values[0])\""
        case .flag: "true"
        }
    }

    private func object(_ fields: [EventField]) -> Data {
        let members = fields.map { "\"\($0.name)\":\(sample($0.shape))" }
        return Data("{\(members.joined(separator: ","))}".utf8)
    }

    /// Label of the enum's case and the stored properties of its payload.
    private func shape(of event: Any) -> (label: String, properties: [String]) {
        let child = Mirror(reflecting: event).children.first
        let payload = child.map { Mirror(reflecting: $0.value).children.compactMap(\.label) }
        return (child?.label ?? "", payload ?? [])
    }

    private func check<Event>(_ schemas: [EventSchema<Event>], kind: String) throws {
        for schema in schemas {
            let newest = schema.eventType.newestVersion
            let full = try schema.event(schemaVersion: newest, data: object(schema.fields))
            let (label, properties) = shape(of: full)
            #expect(properties == schema.fields.map(\.name), "\(schema.type)")
            let name = label.prefix(1).uppercased() + label.dropFirst()
            #expect(schema.type == "\(kind).\(name)")
            _ = try schema.event(
                schemaVersion: newest, data: object(schema.fields.filter(\.isRequired)))
        }
        #expect(Set(schemas.map(\.type)).count == schemas.count)
    }

    @Test func `fields, properties, cases and stored types agree`() throws {
        try check(PizzaDelivery.schemas, kind: "PizzaDelivery")
        try check(Match.schemas, kind: "Match")
    }

    @Test func `every required field of every version is missed by name`() throws {
        func check<Event>(_ schemas: [EventSchema<Event>]) {
            for schema in schemas {
                for (index, fields) in schema.eventType.versions.enumerated() {
                    for field in fields where field.isRequired {
                        let rest = object(fields.filter { $0 != field })
                        let error = #expect(throws: EventRefusal.self) {
                            try schema.event(schemaVersion: index + 1, data: rest)
                        }
                        #expect(error?.pointer == "/data/\(field.name)")
                        #expect(error?.detail == "is missing; send \(field.expectation)")
                    }
                }
            }
        }
        check(PizzaDelivery.schemas)
        check(Match.schemas)
    }

    @Test func `no stored type ever changes its name`() {
        let types = PizzaDelivery.schemas.map(\.type) + Match.schemas.map(\.type)
        #expect(
            types.joined(separator: " ") == """
                PizzaDelivery.OrderPlaced PizzaDelivery.OrderAccepted \
                PizzaDelivery.PreparationStarted PizzaDelivery.OrderReady \
                PizzaDelivery.DriverAssigned PizzaDelivery.DriverReassigned \
                PizzaDelivery.OrderPickedUp PizzaDelivery.DriverLocated \
                PizzaDelivery.EstimateRevised PizzaDelivery.DriverArriving \
                PizzaDelivery.OrderDelivered PizzaDelivery.OrderCancelled \
                PizzaDelivery.DeliveryFailed \
                Match.MatchScheduled Match.PeriodStarted Match.PeriodEnded Match.ClockAdjusted \
                Match.PlaySuspended Match.PlayResumed Match.GoalScored Match.GoalDisallowed \
                Match.CardShown Match.PlayerSubstituted Match.ShootoutStarted \
                Match.ShootoutKickTaken Match.FullTimeReached Match.MatchAbandoned
                """)
    }
}
