public import Domain
import Foundation

/// What the clock will bring about next for one activity.
///
/// The runner of the clock keeps `at` of every snapshot in an index, and when it has come, appends
/// `event`. The event carries the version that it was derived from: when a report came first, the
/// log refuses it, and the newer snapshot says what is due now. Its id is made from that version
/// too, so that two nodes which find the same thing due append it once; and from the snapshot's
/// position, because an activity that was dropped and is reported again begins with version 1. Two
/// versions of Islet that make two ids of it append it once as well: the log takes only one event
/// after a version.
public struct DueEvent: Hashable, Sendable {
    /// When it is due.
    public var at: Moment
    /// The event that the clock appends then.
    public var event: NewEvent
    /// Of the snapshot.
    private let position: Int64

    /// - Parameter streamVersion: the last version of the activity's stream, which is beyond the
    ///   snapshot's when the events after it were parked without a fault, or skipped.
    public func event(after streamVersion: Int64) -> NewEvent {
        var event = event
        event.id = Self.id(event.type, streamVersion, position, event.activityID)
        event.expectedVersion = streamVersion
        return event
    }

    init(_ due: (at: Moment, event: ActivityClock.Event), of snapshot: Snapshot) {
        at = due.at
        position = snapshot.position
        event = NewEvent(
            id: Self.id(due.event.type, snapshot.version, position, snapshot.activityID),
            source: ActivityClock.source, type: due.event.type, activityID: snapshot.activityID,
            occurredAt: due.at, data: Data("{}".utf8), expectedVersion: snapshot.version)
    }

    private static func id(
        _ type: String, _ version: Int64, _ position: Int64, _ activity: ActivityID
    ) -> String {
        "\(type)/\(version)@\(position)/\(activity)"
    }
}
