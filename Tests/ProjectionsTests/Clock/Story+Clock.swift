import Domain
import Foundation
import Projections

extension FoldedChange {
    /// What the clock brings about next; nil when nothing is left.
    var due: NewEvent? { try? ActivityCatalog.tested.nextDue(snapshot) }
}

extension Story {
    /// What the clock brings about next; nil when nothing is left.
    var due: NewEvent? { changes.last?.due }

    func lifetime() throws -> Lifetime? {
        try snapshot.map { try ActivityCatalog.tested.lifetime(of: $0) }
    }

    /// Lets time pass until the next thing is due, and records that.
    /// - Returns: nil when nothing is due any more.
    @discardableResult
    mutating func waitForClock() throws -> FoldedChange? {
        guard let due, let last = events.last?.recordedAt else { return nil }
        return try tell(due, recordedAt: max(last, due.occurredAt))
    }

    /// Lets time pass until nothing is due any more.
    mutating func waitForEver() throws {
        while try waitForClock() != nil {}
    }
}
