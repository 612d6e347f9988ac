import Domain
import Foundation
import Projections
import TestSupport

/// A feed that delivers facts late, twice and in the wrong order, from one seed.
struct LateFeed {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// When each report arrives: most at once, some minutes late, a few after hours, some twice.
    mutating func arrivals(of events: [NewEvent]) -> [(event: NewEvent, at: Moment)] {
        var arrivals: [(event: NewEvent, at: Moment)] = []
        for event in events {
            arrivals.append((event, event.occurredAt.adding(seconds: delaySeconds())))
            if Int.random(in: 0..<5, using: &generator) == 0 {
                arrivals.append((event, event.occurredAt.adding(seconds: delaySeconds())))
            }
        }
        return arrivals.shuffled(using: &generator).sorted { $0.at < $1.at }
    }

    private mutating func delaySeconds() -> Double {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: Double.random(in: 0..<18_000, using: &generator)
        case 1..<6: Double.random(in: 0..<600, using: &generator)
        default: Double.random(in: 0..<2, using: &generator)
        }
    }

    /// Folds the arrivals while the clock runs: what falls due before the next one is recorded.
    mutating func story(of events: [NewEvent]) throws -> Story {
        var story = Story()
        for arrival in arrivals(of: events) {
            while let due = story.due, due.occurredAt < arrival.at { try story.waitForClock() }
            let last = story.events.last?.recordedAt ?? arrival.at
            try story.tell(arrival.event, recordedAt: max(last, arrival.at))
        }
        return story
    }
}
