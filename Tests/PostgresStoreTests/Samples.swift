import Domain
import EventStore
import Foundation
import Testing

/// Short ways to say what a test needs.
enum Samples {
    static let time = Moment(unixSeconds: 1_700_000_000)

    static func event(
        _ id: String, _ activity: String = "order-1", data: String = #"{"n": 1}"#,
        expectedVersion: Int64? = nil
    ) -> NewEvent {
        NewEvent(
            id: id, source: "tests", type: "Sample.Happened",
            activityID: ActivityID(rawValue: activity), occurredAt: time, data: Data(data.utf8),
            expectedVersion: expectedVersion)
    }

    static func snapshot(_ event: RecordedEvent, phase: Phase = .live) -> Snapshot {
        Snapshot(
            activityID: event.event.activityID, kind: "Sample", version: event.version,
            position: event.position, phase: phase, state: Data(#"{"b":1,"a":1.0}"#.utf8),
            attributes: Data("{}".utf8), contentState: Data(#"{"v":\#(event.version)}"#.utf8),
            updatedAt: event.recordedAt,
            // All different, so that no column stands in for another.
            facts: ActivityFacts(
                promisedAt: time.adding(seconds: 1), expectedAt: time.adding(seconds: 2),
                actualAt: time.adding(seconds: 3), startsAt: time.adding(seconds: 4),
                competition: "Cup", words: SearchWords("sample \(event.version)")))
    }

    static func decision(_ event: RecordedEvent, _ verdict: Verdict = .timely) -> Decision {
        Decision(
            activityID: event.event.activityID, version: event.version, position: event.position,
            verdict: verdict, rule: "sample", reason: "because",
            alert: verdict == .alert ? Alert(title: "T", body: "B") : nil,
            contentState: Data(#"{"v":\#(event.version)}"#.utf8), decidedAt: event.recordedAt,
            significance: verdict == .alert ? .alert : .ambient)
    }

    /// Folds everything with this verdict for each event.
    static func foldAll(_ store: EventStore, _ verdict: Verdict = .timely) async throws {
        while try await store.projections.foldNext(nil, 100, { fold($0, verdict) }) != nil {}
    }

    @Sendable static func fold(_ batch: FoldBatch, _ verdict: Verdict) -> FoldResult {
        var newest: [ActivityID: Snapshot] = [:]
        for event in batch.events { newest[event.event.activityID] = snapshot(event) }
        return FoldResult(
            snapshots: newest.values.sorted { $0.position < $1.position },
            decisions: batch.events.map { decision($0, verdict) }, parked: [])
    }

    static func token(_ digit: String) -> PushToken {
        guard let token = PushToken(hex: String(repeating: digit, count: 64)) else {
            preconditionFailure("not a hexadecimal digit: \(digit)")
        }
        return token
    }
}

extension AppendResult {
    var position: Int64? {
        switch self {
        case .recorded(let position, _), .alreadyKnown(let position, _): position
        case .contentConflict, .batchConflict, .versionConflict, .notRecorded: nil
        }
    }
}
