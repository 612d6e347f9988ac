import Domain
import Foundation
import Projections
import TestSupport

/// One activity being folded step by step.
struct Story {
    private(set) var changes: [FoldedChange] = []
    private(set) var events: [RecordedEvent] = []

    var snapshot: Snapshot? { changes.last?.snapshot }

    init() {}

    /// Folds the events in their order.
    init(_ events: [NewEvent]) throws {
        for event in events { try tell(event) }
    }

    /// The rule that spoke about the last event.
    var rule: String { changes.last?.assessment.rule ?? "" }

    /// What the last event has to say, in the standard language.
    var alert: Alert? {
        changes.last?.alert.map { Alert(title: $0.title, body: $0.body, sound: $0.sound) }
    }

    /// Folds an event that happened `minute` minutes after the beginning.
    @discardableResult
    mutating func tell(
        _ type: String, at minute: Double, _ data: String = "{}"
    ) throws -> FoldedChange {
        try tell(
            NewEvent(
                id: "\(events.count)", source: "test", type: type,
                activityID: ActivityID(rawValue: "story"),
                occurredAt: Self.start.adding(seconds: minute * 60), data: Data(data.utf8)))
    }

    /// - Parameter recordedAt: as soon as it happened, and a second after the last one, unless
    ///   given.
    @discardableResult
    mutating func tell(
        _ event: NewEvent, recordedAt: Moment? = nil, under book: PolicyBook = .builtIn
    ) throws -> FoldedChange {
        let number = Int64(events.count + 1)
        let next = events.last?.recordedAt.adding(seconds: 1) ?? event.occurredAt
        let recorded = RecordedEvent(
            tenant: TenantID(rawValue: 1), position: number, version: number,
            recordedAt: recordedAt ?? max(next, event.occurredAt), event: event)
        let change = try ActivityCatalog.tested.fold(recorded, into: snapshot, under: book)
        events.append(recorded)
        changes.append(change)
        return change
    }

    /// What the phone decodes.
    func shown<State: Decodable>(_ type: State.Type) throws -> State {
        try JSONDecoder().decode(State.self, from: snapshot?.contentState ?? Data())
    }

    static let start = Moment(unixSeconds: 1_772_820_000)

    /// A moment of the story as it stands in an event.
    static func time(_ minute: Double) -> String {
        start.adding(seconds: minute * 60).rfc3339
    }
}
