import DeliveryRules
import Domain
import Foundation
import Projections

/// Events of one activity as they are recorded one by one, and what is decided about each.
struct Ledger {
    let book: PolicyBook
    private(set) var events: [RecordedEvent] = []
    private(set) var snapshots: [Snapshot] = []
    private(set) var decisions: [Decision] = []

    var due: NewEvent? {
        get throws { try snapshots.last.flatMap { try ActivityCatalog.standard.nextDue($0) } }
    }

    init(_ book: PolicyBook = .builtIn) { self.book = book }

    mutating func record(_ event: NewEvent, at recordedAt: Moment) throws {
        let number = Int64(events.count + 1)
        let recorded = RecordedEvent(
            tenant: TenantID(rawValue: 1), position: number, version: number,
            recordedAt: recordedAt, event: event)
        let step = try ActivityStep.apply(recorded, to: snapshots.last, under: book)
        events.append(recorded)
        snapshots.append(step.snapshot)
        decisions.append(step.decision)
    }

    /// Lets the clock speak of all that falls due until then.
    mutating func wait(until moment: Moment) throws {
        while let due = try due, due.occurredAt <= moment { try record(due, at: due.occurredAt) }
    }
}

extension Ledger {
    /// What a feed delivers, in that order, while the clock runs. As a log does, it takes an event
    /// of one name once.
    mutating func record(_ arrivals: [(event: NewEvent, at: Moment)]) throws {
        var known: Set<String> = []
        for arrival in arrivals where known.insert(arrival.event.id).inserted {
            try wait(until: arrival.at)
            try record(arrival.event, at: max(events.last?.recordedAt ?? arrival.at, arrival.at))
        }
    }

    /// Lets time pass until nothing is due any more.
    mutating func waitForEver() throws {
        while let due = try due {
            try record(due, at: max(events.last?.recordedAt ?? due.occurredAt, due.occurredAt))
        }
    }

    /// What people heard, and when.
    var told: [(decision: Decision, alert: Alert)] {
        decisions.flatMap { decision in decision.allAlerts.map { (decision, $0.alert) } }
    }
}
