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

    private var activities: [Activity] = []
    private var places: [ActivityID: Int] = [:]
    /// Of activities that have changed since the last part was taken.
    private var changed: [Int] = []
    private var parked: [ParkedEvent] = []
    private let skipped: Set<Int64>
    /// Which share of a page is this one's, and among how many.
    private let share: (index: Int, count: Int)

    init(skipped: Set<Int64>, share: (index: Int, count: Int)) {
        self.skipped = skipped
        self.share = share
    }

    private func isMine(_ index: Int, _ page: LogPage) -> Bool {
        page.share(of: index, among: share.count) == share.index
    }

    /// Activities of its share of the page that are not in memory.
    func missing(_ page: LogPage) throws(EventStoreError) -> [ActivityID] {
        var missing: Set<ActivityID> = []
        for index in page.indices where isMine(index, page) {
            let activity = try page.activity(index)
            if places[activity] == nil { missing.insert(activity) }
        }
        return missing.sorted()
    }

    /// Takes up activities where snapshots of the new generation left them.
    func load(_ snapshots: [Snapshot]) {
        for snapshot in snapshots {
            let place = place(of: snapshot.activityID)
            if snapshot.fault == nil, let refold = try? Refold(snapshot) {
                activities[place].refold = refold
            } else {
                activities[place].faulted = snapshot
            }
        }
    }

    private func place(of activity: ActivityID) -> Int {
        if let place = places[activity] { return place }
        places[activity] = activities.count
        activities.append(Activity())
        return activities.count - 1
    }

    /// Folds its share of the page.
    /// - Parameter book: with all policies that are in force for the page.
    /// - Returns: how many activities are in memory now.
    func fold(_ page: LogPage, under book: PolicyBook) throws(EventStoreError) -> Int {
        for index in page.indices where isMine(index, page) {
            let event = try page.event(index)
            if !skipped.contains(event.position) {
                fold(event, into: place(of: event.event.activityID), under: book)
            }
        }
        return activities.count
    }

    private func fold(_ event: RecordedEvent, into place: Int, under book: PolicyBook) {
        guard activities[place].faulted == nil else {
            park(event, "an earlier event of the activity is parked")
            return
        }
        do {
            if activities[place].refold == nil {
                activities[place].refold = try Refold(event, under: book)
            } else {
                try activities[place].refold?.fold(event, under: book)
            }
        } catch {
            park(event, error.summary)
            if case .kindMismatch = error { return }
            var faulted = activities[place].refold.map(Self.snapshot) ?? .unfolded(event)
            faulted.fault = error.summary
            faulted.dueAt = nil
            activities[place].refold = nil
            activities[place].faulted = faulted
        }
        if !activities[place].isChanged {
            activities[place].isChanged = true
            changed.append(place)
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
        for place in changed {
            activities[place].isChanged = false
            if let faulted = activities[place].faulted { part.snapshots.append(faulted) }
            if let refold = activities[place].refold {
                part.snapshots.append(Self.snapshot(refold))
            }
        }
        changed.removeAll(keepingCapacity: true)
        part.snapshots.sort { $0.activityID < $1.activityID }
        if forgetting {
            activities.removeAll(keepingCapacity: true)
            places.removeAll(keepingCapacity: true)
        }
        return part
    }
}

extension DispatchMachine {
    /// Of an activity about which nothing was ever decided.
    static let initialState = WireCoder.encode(DispatchMachine())
}
