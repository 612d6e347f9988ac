import Domain
import EventStore
import Foundation
import Projections
import PushDispatch

/// Folds a share of a log's activities anew, stretch by stretch, and keeps them in the form that
/// folds work on. What it cannot fold it parks as `BatchFolder` does.
actor RebuildShard {
    private struct Activity {
        var refold: Refold?
        /// As stored, for one that is faulted and stays as it is.
        var faulted: Snapshot?
        var isChanged = false
    }

    private var activities: [ActivityID: Activity] = [:]
    private var parked: [ParkedEvent] = []
    private let skipped: Set<Int64>

    init(skipped: Set<Int64>) {
        self.skipped = skipped
    }

    /// Those of the events' activities that are not in memory.
    func missing(_ events: [RecordedEvent]) -> [ActivityID] {
        Set(events.map(\.event.activityID)).filter { activities[$0] == nil }.sorted()
    }

    /// Takes up activities where snapshots of the new generation left them.
    func load(_ snapshots: [Snapshot]) {
        for snapshot in snapshots { load(snapshot) }
    }

    private func load(_ snapshot: Snapshot) {
        var activity = Activity()
        if snapshot.fault == nil, let refold = try? Refold(snapshot) {
            activity.refold = refold
        } else {
            activity.faulted = snapshot
        }
        activities[snapshot.activityID] = activity
    }

    /// - Returns: how many activities are in memory now.
    func fold(_ events: [RecordedEvent]) -> Int {
        for event in events where !skipped.contains(event.position) { fold(event) }
        return activities.count
    }

    private func fold(_ event: RecordedEvent) {
        let id = event.event.activityID
        // Taken out, so that nothing is copied.
        var activity = activities.removeValue(forKey: id) ?? Activity()
        defer { activities[id] = activity }
        if activity.faulted != nil {
            park(event, "an earlier event of the activity is parked")
            return
        }
        do {
            if activity.refold == nil {
                activity.refold = try Refold(event)
            } else {
                try activity.refold?.fold(event)
            }
            activity.isChanged = true
        } catch {
            park(event, error.summary)
            if case .kindMismatch = error { return }
            var faulted = activity.refold.map(Self.snapshot) ?? .unfolded(event)
            faulted.fault = error.summary
            faulted.dueAt = nil
            activity = Activity(refold: nil, faulted: faulted, isChanged: true)
        }
    }

    /// As if nothing had ever been decided; the store knows better where something was.
    private static func snapshot(_ refold: Refold) -> Snapshot {
        var snapshot = refold.snapshot()
        snapshot.dispatch = DispatchMachine.initialState
        return snapshot
    }

    private func park(_ event: RecordedEvent, _ reason: String) {
        parked.append(
            ParkedEvent(
                position: event.position, activityID: event.event.activityID, reason: reason))
    }

    /// What has changed since the last time.
    /// - Parameter forgetting: drops every activity from memory; it can be loaded again.
    func takePart(forgetting: Bool) -> RebuiltPart {
        var part = RebuiltPart(snapshots: [], parked: parked)
        parked = []
        for (id, activity) in activities where activity.isChanged {
            activities[id]?.isChanged = false
            if let faulted = activity.faulted { part.snapshots.append(faulted) }
            if let refold = activity.refold { part.snapshots.append(Self.snapshot(refold)) }
        }
        part.snapshots.sort { $0.activityID < $1.activityID }
        if forgetting { activities.removeAll(keepingCapacity: true) }
        return part
    }
}

extension DispatchMachine {
    /// Of an activity about which nothing was ever decided.
    static let initialState = WireCoder.encode(DispatchMachine())
}
