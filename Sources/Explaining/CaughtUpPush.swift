import DeliveryRules
import Domain
import EventStore

/// The push that brought a phone up to date which had missed something: what it said there, worked
/// out from the ledger as the sender does.
struct CaughtUpPush: Hashable {
    /// What it said.
    enum Said: Hashable {
        case alert(Alert.Text)
        /// If what was missed was still news.
        case perhaps(Alert.Text)
        case nothing
        /// There would have been something, but what was missed was no news any more.
        case tooLate
        /// It depends on what nobody has written down.
        case unknown
    }

    var said: Said
    /// Set where it was surely the push that carried the newest change that it brought, which went
    /// to phones that had missed nothing as well.
    var ofFanOut: FanOut?

    struct FanOut: Hashable {
        var carriedBy: Int64
        /// What it said to those.
        var words: Alert.Text?
    }
}

/// Changes of an activity that fan-outs have completed.
struct CompletedRows {
    private let rows: [LedgerRow]
    private let lastTimestamp: Int64?

    /// How a phone may have got it.
    private struct Way {
        /// Sent for the first time by the same push.
        var pending: [Decision]
        var earliest: Moment
        /// Nil when nobody knows.
        var latest: Moment?
    }

    /// - Parameters:
    ///   - rows: of the activity, in order.
    ///   - lastTimestamp: `aps.timestamp` of the activity's newest push, if it is known.
    init(_ rows: [LedgerRow], lastTimestamp: Int64?) {
        self.rows = rows.filter { $0.outcome != nil }
        self.lastTimestamp = lastTimestamp
    }

    func push(bringing span: PhonesBehind.Span) -> CaughtUpPush {
        guard !span.registeredSince,
            let newest = rows.last(where: { $0.decision.version == span.through }),
            let outcome = newest.outcome
        else { return CaughtUpPush(said: .unknown) }
        let fanOut = fanOut(through: span.through, outcome)
        let ways = ways(fanOut, through: span.through, outcome)
        let isFanOut = outcome.accepted > 0 && ways.count == 1
        return CaughtUpPush(
            said: said(ways, span),
            ofFanOut: isFanOut
                ? CaughtUpPush.FanOut(
                    carriedBy: outcome.carriedBy,
                    words: MergedAlerts.alerts(missed: [], pending: fanOut.pending).spoken)
                : nil)
    }

    /// Its own fan-out, and what the fan-out before covered of it already.
    private func fanOut(through version: Int64, _ outcome: LedgerRow.Outcome) -> Way {
        var carriers = [outcome.carriedBy]
        if outcome.wasCoveredByEarlierPush {
            let before = rows.last { row in
                row.decision.version < version && row.outcome?.carriedBy != outcome.carriedBy
            }
            if let carrier = before?.outcome?.carriedBy { carriers.append(carrier) }
        }
        let carried = rows.filter { row in
            row.decision.version <= version
                && (row.outcome.map { carriers.contains($0.carriedBy) } ?? false)
        }
        let began = carried.first?.outcome?.timestamp.map(Moment.init(unixSeconds:))
        return Way(
            pending: carried.map(\.decision), earliest: began ?? outcome.completedAt,
            latest: outcome.completedAt)
    }

    /// By the fan-out that completed it, if that reached anybody, or by one after it that sent
    /// nothing new.
    private func ways(
        _ fanOut: Way, through version: Int64, _ outcome: LedgerRow.Outcome
    ) -> [Way] {
        let inFanOut = outcome.accepted > 0 ? [fanOut] : []
        let isNewest = lastTimestamp.flatMap { last in outcome.timestamp.map { last <= $0 } }
        guard inFanOut.isEmpty || (outcome.failed > 0 && isNewest != true) else { return inFanOut }
        let next = rows.first { row in
            row.decision.version > version && row.outcome?.carriedBy != outcome.carriedBy
        }
        let latest =
            next?.outcome?.completedAt ?? lastTimestamp.map { Moment(unixSeconds: $0 + 1) }
        return inFanOut + [Way(pending: [], earliest: outcome.completedAt, latest: latest)]
    }

    private func said(_ ways: [Way], _ span: PhonesBehind.Span) -> CaughtUpPush.Said {
        let sent = rows.filter { row in
            row.decision.version <= span.through
                && row.decision.version > span.through
                    - Int64(DeliveryRules.Limits.missedChangesMax)
        }
        var whileNews: Set<Alert.Text?> = []
        var possible: Set<Alert.Text?> = []
        for way in ways {
            // A phone that has been there for long had heard more than one that had just come.
            for hasHeard in [true, false] {
                whileNews.insert(words(way, span, sent, at: .longAgo, hasHeard: hasHeard))
                for time in times(of: way, sent) {
                    possible.insert(words(way, span, sent, at: time, hasHeard: hasHeard))
                }
            }
        }
        if possible.count == 1, let certain = possible.first {
            if let certain { return .alert(certain) }
            let hadNothing = whileNews.allSatisfy { $0 == nil }
            return hadNothing ? .nothing : .tooLate
        }
        guard whileNews.count == 1, let news = whileNews.first.flatMap({ $0 }),
            possible.allSatisfy({ $0 == nil || $0 == news })
        else { return .unknown }
        return .perhaps(news)
    }

    /// What a push said that went so.
    private func words(
        _ way: Way, _ span: PhonesBehind.Span, _ sent: [LedgerRow], at now: Moment, hasHeard: Bool
    ) -> Alert.Text? {
        let first = way.pending.first?.version ?? .max
        let before = CompletedDecisions(
            sent.compactMap { row in
                row.decision.version < first
                    ? row.outcome.map { (decision: row.decision, carriedBy: $0.carriedBy) } : nil
            })
        let pending = way.pending.filter { $0.version > span.after }
        let counts = hasHeard && PushPlan.countsWhatWasHeard(way.pending)
        return MergedAlerts.alerts(
            earlier: counts ? before.pushes(upTo: span.after, since: .longAgo) : [],
            missed: before.missed(after: span.after, now: now, since: .longAgo), pending: pending
        ).spoken
    }

    /// The first time at which it may have gone, and those from which something was no news any
    /// more.
    private func times(of way: Way, _ sent: [LedgerRow]) -> [Moment] {
        let ends = sent.map(\.decision)
            .filter { PushPlan.isNews($0, now: .longAgo, registeredAt: .longAgo) }
            .map { decision in
                decision.decidedAt.adding(
                    seconds: DeliveryRules.Limits.missedAlertAgeSecondsMax
                ).adding(microseconds: 1)
            }
        return [way.earliest]
            + ends.filter { end in
                end > way.earliest && (way.latest.map { end <= $0 } ?? true)
            }
    }
}

extension Moment {
    /// Before anything was decided, and when all that is decided is news.
    fileprivate static let longAgo = Moment(unixSeconds: 0)
}
