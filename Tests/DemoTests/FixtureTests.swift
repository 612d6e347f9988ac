import Domain
import Foundation
import JSON
import Testing

@testable import Demo

struct `What the demo plays` {
    @Test(arguments: DemoCast.Kind.allCases)
    func `is there for every kind, in the order in which it was reported`(
        kind: DemoCast.Kind
    ) throws {
        let start = Moment(unixSeconds: 1_800_000_000)
        let fixtures = try kind.fixtures.map(Fixture.load)
        let reports = Fixture.sideBySide(fixtures, begin: start, speed: 60)
        #expect(!reports.isEmpty)
        #expect(reports.map(\.seconds) == reports.map(\.seconds).sorted())
        #expect(reports.first?.seconds == 0)
        #expect(reports.contains { DemoCast.beginnings.contains($0.type) })
    }

    @Test func `begins now, and every time in it moves along`() throws {
        let start = Moment(unixSeconds: 1_800_000_000)
        let reports = Fixture.sideBySide(
            [try Fixture.load("pizza-orders")], begin: start, speed: 60)
        let first = try #require(reports.first)
        #expect(try JSONParser.parse(Array(first.cloudEvent))["time"]?.text == start.rfc3339)
        for report in reports {
            let event = try JSONParser.parse(Array(report.cloudEvent))
            let time = try #require(event["time"]?.text.flatMap { Moment(rfc3339: $0) })
            #expect(abs(time.seconds(since: start)) < 86_400, "\(event)")
        }
    }

    @Test func `is shared out between the phones, and matches are on both`() {
        #expect(DemoCast.followers(of: "harbour-derby") == DemoCast.phones)
        let orders = (1...4).map { DemoCast.followers(of: "order-\($0)") }
        #expect(orders.allSatisfy { $0.count == 1 })
        #expect(orders[0] == orders[2] && orders[0] != orders[1])
    }
}
