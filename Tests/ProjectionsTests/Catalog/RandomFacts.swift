import Domain
import Foundation
import Projections
import TestSupport

/// Facts made up from the schemas of a kind: any of them, with any values that pass the checks.
/// Ids come from a small pool, so that facts meet each other, and each seed leaves some types out,
/// so that some activities do not end.
struct RandomFacts {
    private var random: RandomData

    init(seed: UInt64) { random = RandomData(seed: seed) }

    /// `count` events of the kind in the order in which they arrive; times are not in order, and
    /// some coincide.
    mutating func events(of kind: KindProbe, count: Int) -> [NewEvent] {
        let types = random.shuffled(kind.eventTypes)
            .prefix(3 + below(kind.eventTypes.count))
        return (0..<count).map { index in
            let eventType = types[below(types.count)]
            let version = 1 + below(eventType.newestVersion)
            return NewEvent(
                id: "\(index)", source: "random", type: eventType.name, schemaVersion: version,
                activityID: ActivityID(rawValue: "random"), occurredAt: Self.moment(&random),
                data: random.object(
                    eventType.fields(of: version) ?? [], moment: Self.moment))
        }
    }

    mutating func shuffled(_ events: [NewEvent]) -> [NewEvent] {
        random.shuffled(events)
    }

    mutating func below(_ bound: Int) -> Int { random.below(bound) }

    private static func moment(_ random: inout RandomData) -> Moment {
        Story.start.adding(seconds: Double(random.below(40) * 150))
    }

    /// One event of every type, as large as the checks let it be.
    static func largest(of kind: KindProbe) -> [NewEvent] {
        kind.eventTypes.map { eventType in
            NewEvent(
                id: eventType.name, source: "largest", type: eventType.name,
                schemaVersion: eventType.newestVersion,
                activityID: ActivityID(rawValue: "largest"),
                occurredAt: Story.start.adding(seconds: 1),
                data: eventType.largestData())
        }
    }

    /// Events of any types, as large as they may be, with and without what may be absent; most end
    /// nothing, so that much happens before the end.
    mutating func largest(of kind: KindProbe, count: Int) -> [NewEvent] {
        let types = random.shuffled(kind.eventTypes)
        return (0..<count).map { index in
            let eventType = types[min(below(types.count), below(types.count))]
            return NewEvent(
                id: "\(index)", source: "largest", type: eventType.name,
                schemaVersion: eventType.newestVersion,
                activityID: ActivityID(rawValue: "largest"), occurredAt: Self.moment(&random),
                data: eventType.largestData(isComplete: below(4) > 0, isLate: random.flag()))
        }
    }

    /// An event of the kind's first type, with the smallest values: it begins every activity.
    static func beginning(of kind: KindProbe) -> NewEvent? {
        guard let eventType = kind.eventTypes.first else { return nil }
        let fields = eventType.fields(of: eventType.newestVersion) ?? []
        let members = fields.filter(\.isRequired).map { "\"\($0.name)\":\(smallest($0.shape))" }
        return NewEvent(
            id: "beginning", source: "smallest", type: eventType.name,
            schemaVersion: eventType.newestVersion, activityID: ActivityID(rawValue: "beginning"),
            occurredAt: Story.start, data: Data("{\(members.joined(separator: ","))}".utf8))
    }

    private static func smallest(_ shape: EventField.Shape) -> String {
        switch shape {
        case .text: "\"a\""
        case .integer(let range): "\(range.lowerBound)"
        case .moment: "\"\(Story.start.rfc3339)\""
        case .choice(let values): "\"\(values[0])\""
        case .flag: "false"
        }
    }
}
