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
                try activity.fold(event, question.book, question.tried)
            } else {
                activity = try begin(event)
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
        guard let kind = ActivityCatalog.kind(ofEventType: type)?.name else {
            throw .unknownKind(type)
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

/// One activity under the policy that it had and under the one that is tried: folded once, decided
/// about twice.
private final class BothPolicies {
    let id: ActivityID
    let kind: String
    private let course: Course
    private var own = DispatchMachine()
    private var other = DispatchMachine()
    /// Of both. Noted, as it is asked for each event and changes with few.
    private var keepsNothingBack = true
    /// False where the policy that is tried is the same, and so `other` is not asked.
    private let isTrying: Bool
    private let since: Int64
    private(set) var tally = AlertTally()
    private(set) var isCounted = false

    init(
        _ first: EventInPlace, _ kind: String, _ book: PolicyBook, _ tried: PolicyBook?,
        since: Int64
    ) throws(FoldError) {
        id = first.activityID
        self.kind = kind
        self.since = since
        course = try Course(first, under: book, trying: tried, isTranslated: false)
        isTrying = tried != nil
        note(course.first, first)
    }

    var hasEnded: Bool { own.hasEnded && (!isTrying || other.hasEnded) }

    func fold(
        _ event: EventInPlace, _ book: PolicyBook, _ tried: PolicyBook
    ) throws(FoldError) {
        let changes = try course.fold(
            event, under: book, trying: isTrying ? tried : nil, isTerse: keepsNothingBack)
        if let changes {
            note(changes, event)
        } else if event.position >= since {
            // Held back under both, which no figure counts.
            isCounted = true
        }
    }

    /// While the machines decide alike, what is judged alike is decided once.
    private func note(_ changes: CourseChanges, _ event: EventInPlace) {
        let areAlike = own.decides(like: other)
        let mine = own.changed(changes.own)
        let theirs: AlertTally.Tried =
            switch changes.tried {
            case .none: .alike(mine.order)
            case .alike(let policy) where areAlike:
                .alike(other.follow(own, mine, about: changes.own, pacedBy: policy))
            case .alike(let policy): .another(other.changed(changes.own.under(policy)))
            case .judged(let change): .another(other.changed(change))
            }
        keepsNothingBack = own.keepsNothingBack && other.keepsNothingBack
        guard event.position >= since else { return }
        isCounted = true
        tally.note(mine, theirs)
    }
}
