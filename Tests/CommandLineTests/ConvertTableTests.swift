import Domain
import Foundation
import Projections
import Testing

@testable import islet

struct `Converting tables` {
    private let mapping = #"""
        {"subject": "order", "source": "/till", "events": [
            {"type": "PizzaDelivery.OrderAccepted", "time": "accepted"},
            {"type": "PizzaDelivery.DriverLocated", "time": "seen",
             "data": {"distanceMeters": "metres"}}]}
        """#

    private func events(_ csv: String) throws -> [ConvertedEvent] {
        try CSVMapping(Data(mapping.utf8)).events(csv)
    }

    /// What a conversion is refused for.
    private func fault(_ csv: String, mapping: String? = nil) -> String {
        do throws(ConversionFault) {
            _ = try CSVMapping(Data((mapping ?? self.mapping).utf8)).events(csv)
            return ""
        } catch { return error.reason }
    }

    @Test func `makes events of a table's rows, in the order of their times`() throws {
        let events = try events(
            "order,accepted,seen,metres\r\n"
                + "\"a,1\",2026-05-01T12:00:00Z,2026-05-01T12:30:00Z,400\r\n"
                + "\"b\"\"2\",2026-05-01T11:00:00Z,,\r\n")
        #expect(events.map(\.subject) == ["b\"2", "a,1", "a,1"])
        #expect(events.last?.data == ["distanceMeters": .integer(400)])
        #expect(events.last?.line.contains(#""time":"2026-05-01T12:30:00Z""#) == true)
    }

    @Test func `says what is wrong with a table or a mapping`() {
        let head = "order,accepted,seen,metres\n"
        #expect(fault("order,acceptd,seen,metres\n").contains("no column 'accepted'; there is ac"))
        #expect(fault(head + "a,yesterday,,").contains("row 2, column 'accepted'"))
        #expect(fault(head + "a,,2026-05-01T12:00:00Z,far").contains("must be a whole number"))
        #expect(fault("").contains("no first line"))
        #expect(fault(head, mapping: "{}").contains("the mapping is not"))
        #expect(
            fault(head, mapping: mapping.replacing("OrderAccepted", with: "OrderAcepted"))
                .contains("did you mean PizzaDelivery.OrderAccepted"))
        #expect(
            fault(head, mapping: mapping.replacing("\"distanceMeters\"", with: "\"distance\""))
                .contains("has no field distance"))
    }
}
