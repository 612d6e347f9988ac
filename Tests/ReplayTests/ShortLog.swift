import Domain
import Foundation
import Replay

/// A log in memory, for what looks at the places of events and not at what they say.
enum ShortLog {
    /// An order's event, recorded at so many seconds of 1970.
    static func event(
        _ position: Int64, _ activity: String = "order-1", _ version: Int64? = nil,
        at seconds: Int64? = nil
    ) -> RecordedEvent {
        RecordedEvent(
            tenant: TenantID(rawValue: 1), position: position, version: version ?? position,
            recordedAt: Moment(unixSeconds: seconds ?? position),
            event: NewEvent(
                id: "\(position)", source: "/shops/test", type: "PizzaDelivery.OrderAccepted",
                activityID: ActivityID(rawValue: activity),
                occurredAt: Moment(unixSeconds: 0), data: Data("{}".utf8)))
    }

    /// - Parameter asked: told each stretch that is read.
    static func history(
        _ events: [RecordedEvent], after: Int64 = 0,
        asked: @escaping @Sendable (ClosedRange<Int64>) throws(ReplayError) -> Void = { _ in }
    ) -> History {
        History(
            tenant: "bakery", after: after,
            end: { () async throws(ReplayError) in events.last?.position ?? 0 },
            page: { (positions) async throws(ReplayError) in
                try asked(positions)
                return HistoryPage(events.filter { positions.contains($0.position) })
            },
            stream: { (activity, version, limit) async throws(ReplayError) in
                let own = events.filter {
                    $0.event.activityID == activity && $0.version > version
                }
                return Array(own.prefix(limit))
            },
            policies: { () async throws(ReplayError) in [] },
            neighbours: { (_) async throws(ReplayError) in
                Set(events.map(\.event.activityID)).sorted()
            })
    }
}
