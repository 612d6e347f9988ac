public import Domain
import Locks

/// Counts what this node does, minute by minute, until it is written down.
public final class SeriesCounter: StoreObserver {
    private struct Key: Hashable {
        var tenant: TenantID
        var minute: Int64
    }

    private let now: @Sendable () -> Moment
    private let counted = Lock<[Key: SeriesCounts]>([:])

    public init(now: @escaping @Sendable () -> Moment) { self.now = now }

    public func note(_ tenant: TenantID, _ add: (inout SeriesCounts) -> Void) {
        note(tenant, at: now(), add)
    }

    func note(_ tenant: TenantID, at moment: Moment, _ add: (inout SeriesCounts) -> Void) {
        let minute = moment.unixSeconds / 60
        counted.withLock { rows in
            let key = Key(tenant: tenant, minute: minute)
            // While nothing can be written, what comes late is not counted.
            guard rows[key] != nil || rows.count < Limits.waitingSeriesRowsMax else { return }
            add(&rows[key, default: SeriesCounts()])
        }
    }

    /// What was pushed, by what APNs said.
    public func recorded(_ results: [PhoneResult], of claim: DeliveryClaim) {
        let time = now()
        let recordedAt = Dictionary(
            claim.pending.map { ($0.version, $0.decidedAt) }, uniquingKeysWith: { $1 })
        // Most phones of a page have the same answer.
        let answers = results.reduce(into: [PhoneResult.Effect: Int64]()) { answers, result in
            if !result.wasCoveredByEarlierPush { answers[result.effect, default: 0] += 1 }
        }
        note(claim.tenant, at: time) { counts in
            for (answer, count) in answers {
                counts.add(count, SeriesCounts.answerPrefix + answer.reasonText)
                // What an owed phone had missed says nothing of how quick a push is.
                if case .accepted(let version) = answer, let moment = recordedAt[version] {
                    counts.add(count, latencySeconds: max(0, time.seconds(since: moment)))
                }
            }
        }
    }

    /// Hardly more than a few additions for each event: folding is what a node lives by.
    public func folded(_ fold: FoldedBatch) {
        let (result, batch) = (fold.result, fold.batch)
        var counts = SeriesCounts()
        counts.add(Int64(batch.events.count), SeriesCounts.events)
        counts.add(Int64(batch.events.count { $0.version == 1 }), SeriesCounts.begun)
        var (alerts, verdicts): (Int64, [Verdict: Int64]) = (0, [:])
        for decision in result.decisions {
            verdicts[decision.verdict, default: 0] += 1
            if decision.alert != nil { alerts += 1 }
        }
        counts.add(alerts, SeriesCounts.alerts)
        for (verdict, count) in verdicts {
            counts.add(count, SeriesCounts.verdictPrefix + verdict.rawValue)
        }
        for snapshot in result.snapshots where snapshot.phase == .ended {
            guard batch.snapshots[snapshot.activityID]?.phase != .ended,
                let promisedAt = snapshot.facts.promisedAt, let actualAt = snapshot.facts.actualAt
            else { continue }
            counts.add(1, SeriesCounts.measured)
            if actualAt <= promisedAt { counts.add(1, SeriesCounts.onTime) }
        }
        note(batch.tenant) { $0.add(counts) }
    }

    /// All that was counted, which is forgotten with it.
    public func take() -> [SeriesRow] {
        let taken = counted.withLock { rows in
            let all = rows
            rows = [:]
            return all
        }
        return taken.map { key, counts in
            SeriesRow(
                tenant: key.tenant, minute: Moment(unixSeconds: key.minute * 60),
                counts: counts)
        }
    }

    /// What could not be written is still to be.
    public func giveBack(_ taken: [SeriesRow]) {
        for row in taken { note(row.tenant, at: row.minute) { $0.add(row.counts) } }
    }
}

extension PhoneResult.Effect {
    /// What APNs said, as it spells it.
    fileprivate var reasonText: String {
        switch self {
        case .accepted: "accepted"
        case .retry(_, let reason), .dead(let reason, _, _), .unfit(let reason),
            .givenUp(let reason):
            // Reasons are words; whatever is longer would be a new name for each push.
            String(reason.prefix(Limits.seriesReasonCharactersMax))
        }
    }
}
