import Domain
import Projections
import PushDispatch

/// Folds a share of a log's activities under both policies and counts what differs. Once an
/// activity has ended under both nothing comes any more, so it is forgotten.
actor WhatIfWalker: LogWalker {
    struct Question: Sendable {
        var book: PolicyBook
        var tried: PolicyBook
        /// Kinds about which both judge alike: they differ at most in when pushes go.
        var kindsAlike: Set<String>
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
        let areMine = page.areIn(share)
        var here = page.activities.indices.map { owner in
            areMine[owner] ? activities[page.activities[owner]] : nil
        }
        try page.forEachEvent(of: areMine) { (owner, event) throws(ReplayError) in
            if event.position >= question.since { report.events += 1 }
            // What has ended is not begun again.
            if here[owner] == nil, event.version > 1 { return }
            guard !question.skipped.contains(event.position) else { return }
            take(event, &here[owner])
        }
        for (owner, id) in page.activities.enumerated() where areMine[owner] {
            activities[id] = here[owner]
        }
    }

    /// What is left out is forgotten as well: of what comes of it later nothing is begun.
    private func take(_ event: EventInPlace, _ activity: inout BothPolicies?) {
        do throws(FoldError) {
            if let activity {
                try activity.fold(event)
            } else {
                let begun = try begin(event)
                try begun?.fold(event)
                activity = begun
            }
            guard let both = activity, both.hasEnded else { return }
            count(both)
            activity = nil
        } catch {
            // What another kind reports is parked alone.
            if case .kindMismatch = error { return }
            if let activity { count(activity) }
            report.activitiesLeftOut += 1
            activity = nil
        }
    }

    /// - Returns: nil for another kind than what is looked at.
    private func begin(_ event: EventInPlace) throws(FoldError) -> BothPolicies? {
        let type = event.typeName
        guard let kind = ActivityCatalog.standard.kind(ofEventType: type)?.name else {
            throw .unknownKind(type)
        }
        guard question.kinds.contains(kind) else { return nil }
        return try BothPolicies(before: event, kind, question)
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

/// One activity under the policy that it had and under the one that is tried: decided about twice,
/// and folded once where both policies judge alike.
private final class BothPolicies {
    let id: ActivityID
    let kind: String
    private let question: WhatIfWalker.Question
    private let fold: AssessingFold
    /// Under the policy that is tried; nil where `fold` says the same.
    private let triedFold: AssessingFold?
    private var machine = DispatchMachine()
    private var triedMachine = DispatchMachine()
    /// Of both machines. Noted, as it is asked for each event and changes with few.
    private var passesOverUntil = DispatchMachine().passesOverUntil
    private(set) var tally = AlertTally()
    private(set) var isCounted = false

    /// An activity before its first event, which is then folded as every other.
    init(
        before first: EventInPlace, _ kind: String, _ question: WhatIfWalker.Question
    ) throws(FoldError) {
        id = first.activityID
        self.kind = kind
        self.question = question
        fold = try AssessingFold(before: first, isTranslated: false)
        triedFold =
            question.kindsAlike.contains(kind)
            ? nil : try AssessingFold(before: first, isTranslated: false)
    }

    var hasEnded: Bool { machine.hasEnded && triedMachine.hasEnded }

    /// What is not assessed is held back as unchanged, which no figure counts.
    func fold(_ event: EventInPlace) throws(FoldError) {
        let isTerse = event.recordedAt < passesOverUntil
        let change = try fold.fold(event, under: question.book, isTerse: isTerse)
        let tried: FoldedChange?
        if let triedFold {
            tried = try triedFold.fold(event, under: question.tried, isTerse: isTerse)
        } else {
            tried = change?.under(question.tried.policy(ofKind: kind, at: event.position))
        }
        let mine = change.map { machine.changed($0) }
        let theirs = tried.map { triedMachine.changed($0) }
        passesOverUntil = min(machine.passesOverUntil, triedMachine.passesOverUntil)
        guard event.position >= question.since else { return }
        isCounted = true
        tally.note(mine, theirs)
    }
}
