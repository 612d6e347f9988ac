public import Domain
import EventStore
public import Explaining

extension History {
    /// Why an activity's phones were sent what they got.
    /// - Parameter version: as of `Explainer.explain`.
    public func explain(
        _ version: Int64?, of activity: ActivityID
    ) async throws(ReplayError) -> Explanation {
        let answer =
            if let database {
                try await asked(
                    try await Explainer.explain(
                        version, of: StoredActivity(database.store, database.tenant, activity)))
            } else {
                try await Explainer.explain(
                    version,
                    of: ExportedActivity(timeline: Timeline.read(self, activity: activity)))
            }
        switch answer {
        case .explained(let explanation): return explanation
        case .noSuchActivity: throw try await noSuchActivity(activity)
        case .noSuchVersion:
            let timeline = try await Timeline.read(self, activity: activity)
            throw .noSuchVersion(
                activity, version ?? 0, versions: timeline.entries.last?.version ?? 0)
        }
    }
}

/// An activity of an export, with the decisions that the log gives. What was sent is not in it.
private struct ExportedActivity: ActivityRecord {
    typealias Failure = Never

    let timeline: Timeline

    func end() -> RecordEnd? {
        let entries = timeline.entries
        let newest =
            entries.first { $0.stopsFolding }
            ?? entries.last { $0.parked == nil && !$0.isSkipped } ?? entries.last
        return newest.map { (version: $0.version, hasEnded: $0.snapshot?.phase == .ended) }
    }

    func event(_ version: Int64) -> RecordedEvent? { entry(version)?.event }

    func rows(after version: Int64, limit: Int) -> [LedgerRow] {
        let decisions = timeline.entries.lazy.compactMap(\.recomputed)
            .filter { $0.version > version }
        return decisions.prefix(limit).map { LedgerRow(decision: $0, outcome: nil) }
    }

    func parking(of event: RecordedEvent) -> Parking? {
        entry(event.version).flatMap { $0.isSkipped ? .skipped : $0.parked.map(Parking.parked) }
    }

    func deliverySituation(of row: LedgerRow) -> DeliverySituation? { nil }

    private func entry(_ version: Int64) -> Timeline.Entry? {
        timeline.entries.first { $0.version == version }
    }
}
