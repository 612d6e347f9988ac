import Domain
import Foundation
import Projections
import TestSupport

/// Facts made up from the schemas of a kind: any of them, with any values that pass the checks.
/// Ids come from a small pool, so that facts meet each other, and each seed leaves some types out,
/// so that some activities do not end.
struct RandomFacts {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// `count` events of the kind in the order in which they arrive; times are not in order, and
    /// some coincide.
    mutating func events(of kind: KindProbe, count: Int) -> [NewEvent] {
        let types = kind.eventTypes.shuffled(using: &generator)
            .prefix(3 + below(kind.eventTypes.count))
        return (0..<count).map { index in
            let eventType = types[below(types.count)]
            let version = 1 + below(eventType.newestVersion)
            return NewEvent(
                id: "\(index)", source: "random", type: eventType.name, schemaVersion: version,
                activityID: ActivityID(rawValue: "random"), occurredAt: moment(),
                data: object(eventType.fields(of: version) ?? []))
        }
    }

    mutating func shuffled(_ events: [NewEvent]) -> [NewEvent] {
        events.shuffled(using: &generator)
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    private mutating func moment() -> Moment {
        Story.start.adding(seconds: Double(below(40) * 150))
    }

    private mutating func object(_ fields: [EventField]) -> Data {
        var members: [String] = []
        for field in fields where field.isRequired || Bool.random(using: &generator) {
            members.append("\"\(field.name)\":\(value(field.shape))")
        }
        return Data("{\(members.joined(separator: ","))}".utf8)
    }

    private mutating func value(_ shape: EventField.Shape) -> String {
        switch shape {
        case .text(let bytesMax):
            let text = ["a", "b", "Ünal Ö.", "🍕", "c d e f g"][below(5)]
            return "\"\(text.utf8.count <= bytesMax ? text : "x")\""
        case .integer(let range):
            let span = min(range.upperBound - range.lowerBound, 5000)
            return "\(range.lowerBound + below(below(2) == 0 ? min(span, 4) + 1 : span + 1))"
        case .moment: return "\"\(moment().rfc3339)\""
        case .choice(let values): return "\"\(values[below(values.count)])\""
        case .flag: return Bool.random(using: &generator) ? "true" : "false"
        }
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
        let types = kind.eventTypes.shuffled(using: &generator)
        return (0..<count).map { index in
            let eventType = types[min(below(types.count), below(types.count))]
            return NewEvent(
                id: "\(index)", source: "largest", type: eventType.name,
                schemaVersion: eventType.newestVersion,
                activityID: ActivityID(rawValue: "largest"), occurredAt: moment(),
                data: eventType.largestData(
                    isComplete: below(4) > 0, isLate: Bool.random(using: &generator)))
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
