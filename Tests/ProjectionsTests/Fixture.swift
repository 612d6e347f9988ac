import Domain
import Foundation
import ProjectFiles

/// The project's own fixtures, found from where this file lies.
enum Fixture {
    static let worldCupFinal = "world-cup-2022-final.ndjson"
    static let pizzaOrders = "pizza-orders.ndjson"
    static let coffeeOrders = "coffee-orders.ndjson"
    static let bikeRides = "bike-rides.ndjson"
    static let adventures = "adventures.ndjson"
    static let all = [worldCupFinal, pizzaOrders, coffeeOrders, bikeRides, adventures]

    struct Malformed: Error { var line: Int }

    /// The events of a fixture in the order of the file, as the log would number them: an id that
    /// was seen before is dropped.
    static func recorded(_ name: String) throws -> [RecordedEvent] {
        var seen: Set<String> = []
        return number(try events(name).filter { seen.insert($0.id).inserted })
    }

    /// The events of a fixture in the order of the file, repeated ones included.
    static func events(_ name: String) throws -> [NewEvent] {
        let url = ProjectFiles.url("Sources/Demo/Fixtures/\(name)")
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        return try lines.enumerated().map { try event(String($1), line: $0 + 1) }
    }

    /// Positions and versions for events that arrive one after the other.
    static func number(_ events: [NewEvent]) -> [RecordedEvent] {
        var versions: [ActivityID: Int64] = [:]
        return events.enumerated().map { index, event in
            versions[event.activityID, default: 0] += 1
            return RecordedEvent(
                tenant: TenantID(rawValue: 1), position: Int64(index + 1),
                version: versions[event.activityID, default: 0], recordedAt: event.occurredAt,
                event: event)
        }
    }

    private static func event(_ line: String, line number: Int) throws -> NewEvent {
        let json = try JSONSerialization.jsonObject(with: Data(line.utf8))
        guard let object = json as? [String: Any], object["specversion"] as? String == "1.0",
            let id = object["id"] as? String, let source = object["source"] as? String,
            let type = object["type"] as? String, let subject = object["subject"] as? String,
            let time = object["time"] as? String, let occurredAt = Moment(rfc3339: time),
            let data = object["data"] as? [String: Any]
        else { throw Malformed(line: number) }
        return NewEvent(
            id: id, source: source, type: type, activityID: ActivityID(rawValue: subject),
            occurredAt: occurredAt, data: try JSONSerialization.data(withJSONObject: data))
    }
}
