import Domain
import Projections
import PushDispatch

/// Folds a share of a log's activities under both policies and counts what differs. Once an
/// activity has ended under both nothing comes any more, so it is forgotten.
actor WhatIfWalker: LogWalker {
    struct Question: Sendable {
        var book: PolicyBook
        var tried: PolicyBook
        /// Kinds for which that is another policy.
        var triedKinds: Set<String>
        /// Kinds that are looked at.
        var kinds: Set<String>
        /// Positions that are left out.
        var skipped: Set<Int64>
        /// The first position that counts.
        var since: Int64
    }

    typealias Stretch = HistoryPage

    private let share: (index: Int, count: Int)
    private let question: Question
    private var activities: [ActivityID: BothPolicies] = [:]
    private var report: WhatIfReport

    init(
        share: (index: Int, count: Int), tenant: String, _ question: Question
    ) {
        self.share = share
        self.question = question
        report = WhatIfReport(tenant: tenant)
    }

    func take(_ page: HistoryPage) throws(ReplayError) {
        for index in page.indices
        where page.share(of: index, among: share.count) == share.index {
            if try page.place(index).position >= question.since { report.events += 1 }
            let id = try page.activity(index)
            // What has ended is not begun again.
            if activities[id] == nil, try page.version(index) > 1 { continue }
            let event = try page.event(index)
            if !question.skipped.contains(event.position) { take(event) }
        }
    }

    /// What is left out is forgotten as well: of what comes of it later nothing is begun.
    private func take(_ event: RecordedEvent) {
        let id = event.event.activityID
        do throws(FoldError) {
            let both: BothPolicies
            if let known = activities[id] {
                both = known
                try both.fold(event, question.book, question.tried)
            } else {
                guard let begun = try begin(event) else { return }
                both = begun
                activities[id] = both
            }
            guard both.hasEnded else { return }
            count(both)
            activities[id] = nil
        } catch {
            // What another kind reports is parked alone.
            if case .kindMismatch = error { return }
            if let both = activities[id] { count(both) }
            report.activitiesLeftOut += 1
            activities[id] = nil
        }
    }

    /// - Returns: nil for another kind than what is looked at.
    private func begin(_ event: RecordedEvent) throws(FoldError) -> BothPolicies? {
        guard let kind = ActivityCatalog.kind(ofEventType: event.event.type)?.name else {
            throw .unknownKind(event.event.type)
        }
        guard question.kinds.contains(kind) else { return nil }
        return try BothPolicies(
            event, kind, question.book,
            question.triedKinds.contains(kind) ? question.tried : nil, since: question.since)
    }

    private func count(_ both: BothPolicies) {
        guard both.isCounted else { return }
        report.activities += 1
        let found = both.tally.result()
        report.before.add(found.before)
        report.after.add(found.after)
        guard found.before != found.after || found.changes.total > 0 else { return }
        report.activitiesAffected += 1
        report.changes.add(found.changes)
        report.rank(
            WhatIfReport.Affected(
                activity: both.id.rawValue, kind: both.kind, changes: found.changes,
                pushes: found.before.sent, pushesTried: found.after.sent,
                examples: found.examples))
    }

    func finish() -> WhatIfReport {
        for both in activities.values { count(both) }
        activities = [:]
        return report
    }
}

/// One activity under the policy that it had and under the one that is tried.
private final class BothPolicies {
    let id: ActivityID
    let kind: String
    private let own: DecidingFold
    /// Nil where nothing else is tried.
    private let other: DecidingFold?
    private let since: Int64
    private(set) var tally = AlertTally()
    private(set) var isCounted = false

    init(
        _ first: RecordedEvent, _ kind: String, _ book: PolicyBook, _ tried: PolicyBook?,
        since: Int64
    ) throws(FoldError) {
        id = first.event.activityID
        self.kind = kind
        self.since = since
        let own = try DecidingFold.begin(first, under: book, isDeciding: true)
        let other = try tried.map { (book) throws(FoldError) in
            try DecidingFold.begin(first, under: book, isDeciding: true)
        }
        (self.own, self.other) = (own.fold, other?.fold)
        note(own.decision, other?.decision ?? own.decision, first)
    }

    var hasEnded: Bool { own.machine.hasEnded && other?.machine.hasEnded ?? true }

    func fold(
        _ event: RecordedEvent, _ book: PolicyBook, _ tried: PolicyBook
    ) throws(FoldError) {
        let mine = try own.fold(event, under: book)
        let theirs = try other?.fold(event, under: tried) ?? mine
        note(mine, theirs, event)
    }

    private func note(_ mine: Decision?, _ theirs: Decision?, _ event: RecordedEvent) {
        guard let mine, let theirs, event.position >= since else { return }
        isCounted = true
        tally.note(mine, theirs)
    }
}
