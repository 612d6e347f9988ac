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
        try CSVMapping(Data(mapping.utf8)).events(Data(csv.utf8))
    }

    /// What a conversion is refused for.
    private func fault(_ csv: String, mapping: String? = nil) -> String {
        do throws(ConversionFault) {
            _ = try CSVMapping(Data((mapping ?? self.mapping).utf8)).events(
                Data(csv.utf8))
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
        #expect(
            fault("metres," + head).contains("columns 1 and 5 have one name, 'metres', which"))
        #expect(fault(head + "a,yesterday,,").contains("row 2, column 'accepted'"))
        #expect(fault(head + "a,,2026-05-01T12:00:00Z,far").contains("must be a whole number"))
        #expect(fault("").contains("no first line"))
        #expect(
            fault(head, mapping: #"{"subject": "order", "events": []}"#).contains("names no events")
        )
        #expect(
            fault(
                head + "a,2026-05-01T12:00:00Z,,",
                mapping: mapping.replacing("/till", with: "my till")
            ).contains("the mapping: `source` must be a URI reference"))
        #expect(throws: ConversionFault(reason: "is not UTF-8; save the table as CSV in UTF-8")) {
            try CSVMapping(Data(mapping.utf8)).events(Data([0x6F, 0xE9]))
        }
        #expect(fault(head, mapping: "{}").contains("the mapping is not"))
        #expect(
            fault(head, mapping: mapping.replacing("OrderAccepted", with: "OrderAcepted"))
                .contains("did you mean PizzaDelivery.OrderAccepted"))
        #expect(
            fault(head, mapping: mapping.replacing("\"distanceMeters\"", with: "\"distance\""))
                .contains("a field distance, which it has not; there is"))
    }

    private let head = "order,accepted,seen,metres\n"

    @Test func `gives a row the same id in every file, and tells it once`() throws {
        let monday = "a,2026-05-01T12:00:00Z,2026-05-01T12:30:00Z,400\n"
        let tuesday = "b,2026-05-02T12:00:00Z,2026-05-02T12:30:00Z,400\n"
        let first = try events(head + monday)
        let second = try events(head + tuesday)
        #expect(Set((first + second).map(\.id)).count == 4)
        #expect(try events(head + tuesday + monday + tuesday) == first + second)
        // What only another column tells is nothing else, and two of one name may tell it.
        #expect(try events("x,x," + head + "1,2," + monday).map(\.id) == first.map(\.id))
        #expect(try events(head + monday.replacing("400", with: "300"))[1].id != first[1].id)
    }

    @Test func `tells two columns of one type apart`() throws {
        let rule = #"{"type": "PizzaDelivery.OrderReady", "time": "#
        let mapping = #"{"subject": "order", "events": [\#(rule)"one"}, \#(rule)"two"}]}"#
        let table = "order,one,two\na,2026-05-01T12:00:00Z,2026-05-01T12:00:00Z\n"
        let events = try CSVMapping(Data(mapping.utf8)).events(Data(table.utf8))
        #expect(events.count == 2 && Set(events.map(\.id)).count == 2)
    }

    @Test func `takes a spreadsheet's mark of byte order, and inches`() throws {
        let events = try events("\u{FEFF}" + head + "12\" pizza,2026-05-01T12:00:00Z,,\n")
        #expect(events.map(\.subject) == ["12\" pizza"])
    }

    @Test(arguments: [
        (",2,9 €,2026-05-01T13:00:00Z", "row 2, column 'order': '': `orderNumber` is missing"),
        ("1,0,9 €,2026-05-01T13:00:00Z", "row 2, column 'pizzas': '0': `numberOfPizzas` must be"),
        ("1,2,,2026-05-01T13:00:00Z", "row 2, column 'sum': '': `totalAmount` is missing; send"),
        ("1,2,9 €,tomorrow", "row 2, column 'promised': 'tomorrow': `promisedAt` must be"),
    ])
    func `says what a field must be`(cells: String, reason: String) {
        let mapping = #"""
            {"subject": "id", "events": [{"type": "PizzaDelivery.OrderPlaced", "time": "at",
             "data": {"orderNumber": "order", "numberOfPizzas": "pizzas", "totalAmount": "sum",
              "promisedAt": "promised"}}]}
            """#
        let table = "id,at,order,pizzas,sum,promised\na,2026-05-01T12:00:00Z,\(cells)\n"
        let said = fault(table, mapping: mapping)
        #expect(said.contains(reason), "\(said)")
        let without = mapping.replacing(#", "totalAmount": "sum""#, with: "")
        #expect(
            fault(table, mapping: without).contains(
                "gives PizzaDelivery.OrderPlaced no column for totalAmount, without which"))
    }

    @Test(arguments: [
        (",2026-05-01T12:00:00Z,,", "row 2, column 'order': '': `subject` must not be empty."),
        ("\"a\nb\",2026-05-01T12:00:00Z,,", "`subject` must not have control characters."),
        (
            "a,,2026-05-01T12:00:00Z,2000000",
            "row 2, column 'metres': '2000000': `distanceMeters` must be a whole number from"
        ),
        ("a,2026-05-01T12:00:00Z,,1,2", "row 2 has 5 cells, the first line 4; put what"),
        (
            "a,2026-05-01T12:00:00Z,,\n\"b,2026-05-01T12:00:00Z,,\nc,,,\n",
            "row 3, cell 1 begins with a quote that nothing closes"
        ),
        ("a,,,", "has no row with a time in 'accepted', 'seen'"), ("", "has no row with a time"),
    ])
    func `says which row and column a server would refuse`(rows: String, reason: String) {
        let said = fault(head + rows)
        #expect(said.contains(reason), "\(said)")
    }
}
