import Domain
import Foundation
import Testing

/// Shipments of health commodities as deliveries of the pizza kind. One shipment has many items,
/// and every item is a report of its own: most facts come more than once.
enum HealthShipments {
    struct Item {
        var orderedAt: Moment?
        var scheduledAt: Moment
        var deliveredAt: Moment
        /// When somebody typed it in, often days later.
        var recordedAt: Moment
    }

    struct Shipment {
        var name: String
        var items: [Item]

        /// When the last of its items was handed over.
        var deliveredAt: Moment? { items.map(\.deliveredAt).max() }
    }

    static func shipments() throws -> [Shipment] {
        let file = try SharedData.file("deliveries/usaid-scms/line_items.csv")
        let rows = CSV.rows(try String(contentsOf: file, encoding: .utf8))
        return try Dictionary(grouping: rows) { $0["ASN/DN #"] ?? "" }
            .map { name, rows in Shipment(name: name, items: try rows.map(item)) }
            .sorted { $0.name < $1.name }
    }

    private static func item(_ row: [String: String]) throws -> Item {
        func date(_ name: String) -> Moment? { row[name].flatMap(Self.date) }
        return Item(
            orderedAt: date("PO Sent to Vendor Date"),
            scheduledAt: try #require(date("Scheduled Delivery Date")),
            deliveredAt: try #require(date("Delivered to Client Date")),
            recordedAt: try #require(date("Delivery Recorded Date")))
    }

    /// `11/13/06` or `2-Jun-06`; nil for the words that stand where a date is not known.
    private static func date(_ text: String) -> Moment? {
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let day: (year: String, month: Int?, day: String)
        if let match = text.wholeMatch(of: /(\d+)\/(\d+)\/(\d\d)/) {
            day = (String(match.3), Int(match.1), String(match.2))
        } else if let match = text.wholeMatch(of: /(\d+)-(\w{3})-(\d\d)/) {
            day = (
                String(match.3), months.firstIndex(of: String(match.2)).map { $0 + 1 },
                String(match.1)
            )
        } else {
            return nil
        }
        guard let month = day.month else { return nil }
        let two = { (number: String) in number.count < 2 ? "0\(number)" : number }
        return Moment(rfc3339: "20\(day.year)-\(two("\(month)"))-\(two(day.day))T12:00:00Z")
    }
}

extension HealthShipments.Shipment {
    /// In the order in which they were recorded, whenever they happened.
    func events() -> [(event: NewEvent, recordedAt: Moment)] {
        items.sorted { $0.recordedAt < $1.recordedAt }.flatMap { item in
            let ordered = item.orderedAt ?? item.scheduledAt.adding(seconds: -30 * 86_400)
            var script = FeedScript("PizzaDelivery", name, from: ordered)
            script.add(
                "OrderPlaced", 0,
                [
                    "orderNumber": name, "numberOfPizzas": 1, "totalAmount": "free of charge",
                    "promisedAt": item.scheduledAt.rfc3339,
                ])
            script.add("OrderDelivered", item.deliveredAt.seconds(since: ordered))
            return script.events.map { ($0, item.recordedAt) }
        }
    }
}
