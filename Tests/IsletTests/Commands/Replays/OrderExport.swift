import Archive
import Domain
import Foundation
import Terminal

/// An export of two orders of pizza, in a directory of its own.
struct OrderExport {
    /// The place of the export, which is one file.
    let place: String
    let directory: PrivateDirectory

    static let begin = Moment(unixSeconds: 1_700_000_000)

    /// Ids of events that a source has reported, in the order of the log.
    static let reported = ["order-1-1", "order-1-2", "order-1-3", "order-2-1", "order-2-2"]

    /// - Parameter hasClock: between them stands an event of the clock.
    static func with(
        hasClock: Bool = false, _ body: (OrderExport) async throws -> Void
    ) async throws {
        let directory = try PrivateDirectory("islet-orders")
        defer { directory.remove() }
        let export = OrderExport(place: directory.file("orders.ndjson"), directory: directory)
        _ = try await Export.write(
            events(hasClock: hasClock), of: "pizzeria", to: Layout(export.place))
        try await body(export)
    }

    func file(_ name: String) -> String { directory.file(name) }

    func text(_ name: String) throws -> String {
        try String(contentsOfFile: file(name), encoding: .utf8)
    }

    func write(_ text: String, _ name: String) throws {
        try text.write(toFile: file(name), atomically: true, encoding: .utf8)
    }

    private static func events(hasClock: Bool) -> [RecordedEvent] {
        var events: [RecordedEvent] = []
        for (index, id) in reported.enumerated() {
            let activity = ActivityID(rawValue: String(id.prefix(7)))
            if hasClock, id == "order-1-3" {
                events.append(
                    event(
                        "clock-1", ActivityClock.source, ActivityClock.Event.wentStale.rawValue,
                        activity, "{}", after: events))
            }
            let (type, data) = report(id)
            events.append(event(id, "/till", type, activity, data, after: events, index * 60))
        }
        return events
    }

    private static func report(_ id: String) -> (type: String, data: String) {
        switch id.suffix(1) {
        case "1":
            let promised = begin.adding(seconds: 2_100).rfc3339
            return (
                "PizzaDelivery.OrderPlaced",
                #"{"numberOfPizzas":2,"orderNumber":"7","promisedAt":"\#(promised)","#
                    + #""totalAmount":"24.00"}"#
            )
        case "2": return ("PizzaDelivery.OrderAccepted", "{}")
        default: return ("PizzaDelivery.PreparationStarted", "{}")
        }
    }

    private static func event(
        _ id: String, _ source: String, _ type: String, _ activity: ActivityID, _ data: String,
        after events: [RecordedEvent], _ seconds: Int = 60
    ) -> RecordedEvent {
        let time = begin.adding(seconds: Double(seconds))
        let known = events.count { $0.event.activityID == activity }
        return RecordedEvent(
            tenant: TenantID(rawValue: 1), position: Int64(events.count + 1),
            version: Int64(known + 1), recordedAt: time,
            event: NewEvent(
                id: id, source: source, type: type, activityID: activity, occurredAt: time,
                data: Data(data.utf8)))
    }
}
