import Domain
import Foundation
import Projections
import Testing

@testable import islet

struct `Converting other people's files` {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "ProjectionsTests/Fixtures/openfootball")

    @Test(arguments: [("worldcup-2022", 13), ("euro-2020", 12)])
    func `makes matches of a tournament, of events that the kind takes`(
        name: String, count: Int
    ) throws {
        let file = Self.folder.appending(path: "\(name).json")
        let events = try OpenFootball.events(try Data(contentsOf: file))
        let subjects = Dictionary(grouping: events, by: \.subject)
        #expect(subjects.count == count)
        for (subject, events) in subjects {
            #expect(events.map(\.time) == events.map(\.time).sorted(), "\(subject)")
            for event in events {
                try ActivityCatalog.standard.validate(
                    type: event.type, schemaVersion: 1, data: WireCoder.encode(event.data))
            }
        }
        if name == "worldcup-2022" {
            let final = try #require(subjects["2022-12-18-argentina-france"])
            #expect(final.count { $0.type == "Match.GoalScored" } == 6)
            #expect(final.contains { $0.type == "Match.ShootoutStarted" })
        }
    }

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
