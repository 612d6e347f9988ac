import DeliveryRules
import Domain
import EventStore
import Foundation
import JSON
import Projections

/// A stretch of a log, with the activity that each event belongs to.
struct RebuildPage: Sendable {
    let events: any LogPage
    let directory: LogDirectory

    init(_ events: any LogPage) throws(EventStoreError) {
        self.events = events
        directory = try LogDirectory(events)
    }
}

/// Folds a share of a log's activities again, stretch by stretch, and keeps them in the form that
/// folds work on. What it cannot fold it parks as `BatchFolder` does.
actor RebuildShard {
    private struct Activity {
        enum Content {
            /// Nothing is known of it yet.
            case nothing
            case folded(StateFold)
            /// As stored: it stays as it is.
            case blocked(Snapshot)
        }

        var content = Content.nothing
        var isChanged = false
    }

    private var activities: [Activity] = []
    private var places: [ActivityID: Int] = [:]
    /// Places of the activities that have changed since the last part was taken.
    private var changed: [Int] = []
    private var parked: [ParkedEvent] = []
    private let skipped: Set<Int64>
    /// Which share of a page is this one's, and among how many.
    private let share: (index: Int, count: Int)

    init(skipped: Set<Int64>, share: (index: Int, count: Int)) {
        self.skipped = skipped
        self.share = share
    }

    /// Activities of its share of the page that are not in memory.
    func missing(_ page: RebuildPage) -> [ActivityID] {
        zip(page.directory.activities, page.directory.areIn(share)).compactMap { activity, isMine in
            isMine && places[activity] == nil ? activity : nil
        }.sorted()
    }

    /// Takes up activities where snapshots of the new generation left them.
    func load(_ snapshots: [Snapshot]) {
        for snapshot in snapshots {
            let place = place(of: snapshot.activityID)
            if snapshot.blockage == nil, let fold = try? StateFold(.stored(snapshot)) {
                activities[place].content = .folded(fold)
            } else {
                activities[place].content = .blocked(snapshot)
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
    func fold(_ page: RebuildPage, under book: PolicyBook) throws(EventStoreError) -> Int {
        // Once for all events: cores that use the same page wait for each other whenever one takes
        // a reference to it or lets go.
        let events = page.events
        defer { withExtendedLifetime(events) {} }
        let directory = page.directory
        let own = zip(directory.activities, directory.areIn(share)).map { activity, isMine in
            isMine ? place(of: activity) : nil
        }
        for index in directory.owners.indices {
            let owner = Int(directory.owners[index])
            guard let place = own[owner] else { continue }
            let origin = directory.places[index]
            guard !skipped.contains(origin.position) else { continue }
            let event = try events.borrowedEvent(
                index, at: origin, of: directory.activities[owner])
            fold(event, into: place, under: book)
        }
        return activities.count
    }

    private func fold(_ event: BorrowedEvent, into place: Int, under book: PolicyBook) {
        do {
            switch activities[place].content {
            case .nothing:
                let fold = try StateFold(.first(event))
                try fold.fold(event, under: book)
                activities[place].content = .folded(fold)
            case .folded(let fold): try fold.fold(event, under: book)
            case .blocked:
                parked.append(ParkedEvent(event, because: BatchFolder.parkedBehind))
                return
            }
        } catch {
            parked.append(ParkedEvent(event, because: error.summary))
            if case .kindMismatch = error { return }
            var blocked = Snapshot.unfolded(event)
            if case .folded(let fold) = activities[place].content {
                blocked = Self.snapshot(fold)
            }
            blocked.blockage = error.summary
            blocked.dueAt = nil
            activities[place].content = .blocked(blocked)
        }
        if !activities[place].isChanged {
            activities[place].isChanged = true
            changed.append(place)
        }
    }

    /// As if nothing had ever been decided; the store knows better where something was.
    private static func snapshot(_ fold: StateFold) -> Snapshot {
        var snapshot = fold.snapshot()
        snapshot.dispatch = DispatchMachine.initialState
        return snapshot
    }

    /// What has changed since the last time.
    /// - Parameter forgetting: drops every activity from memory; it can be loaded again.
    func takePart(forgetting: Bool) -> RebuiltPart {
        var part = RebuiltPart(snapshots: [], parked: parked)
        parked = []
        for place in changed {
            activities[place].isChanged = false
            switch activities[place].content {
            case .nothing: continue
            case .folded(let fold): part.snapshots.append(Self.snapshot(fold))
            case .blocked(let stored): part.snapshots.append(stored)
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
    /// The state for an activity about which nothing was ever decided.
    static let initialState = WireCoder.encode(DispatchMachine())
}
