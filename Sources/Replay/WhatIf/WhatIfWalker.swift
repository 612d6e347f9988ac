import Domain
import Projections

/// Folds a share of a log's activities under both policies and counts what differs. Once an
/// activity has ended under both nothing comes any more, so it is forgotten.
actor WhatIfWalker: LogWalker {
    private let share: (index: Int, count: Int)
    private let policies: PolicyPair
    /// The kind that is looked at; nil for every one.
    private let wantedKind: String?
    /// Positions that are left out.
    private let skipped: Set<Int64>
    private var activities: [ActivityID: BothPolicies] = [:]
    /// Activities of which only events that are left out have come so far.
    private var unbegun: Set<ActivityID> = []
    private var report: WhatIfReport

    init(
        share: (index: Int, count: Int), tenant: String, _ policies: PolicyPair, kind: String?,
        skipped: Set<Int64>
    ) {
        self.share = share
        self.policies = policies
        wantedKind = kind
        self.skipped = skipped
        report = WhatIfReport(tenant: tenant)
    }

    func take(_ page: HistoryPage) throws(ReplayError) {
        let areMine = page.areIn(share)
        var here = page.activities.indices.map { owner in
            areMine[owner] ? activities[page.activities[owner]] : nil
        }
        var areWanted = [Bool?](repeating: nil, count: here.count)
        try page.forEachEvent(of: areMine) { (owner, event) throws(ReplayError) in
            let isUnderWay = here[owner] != nil
            if event.position >= policies.since,
                isWanted(event, isUnderWay: isUnderWay, &areWanted[owner])
            {
                report.events += 1
            }
            if skipped.contains(event.position) {
                if event.version == 1 { unbegun.insert(event.activityID) }
                return
            }
            // What has ended is not begun again.
            if !isUnderWay, event.version > 1, !begins(event) { return }
            take(event, &here[owner])
        }
        for (owner, id) in page.activities.enumerated() where areMine[owner] {
            activities[id] = here[owner]
        }
    }

    /// Whether an event counts as one of the kind that is looked at. Of what has ended nothing is
    /// known but the types of its events, and those of the clock say nothing about the kind.
    /// - Parameter known: of the activity, in the page that is gone through.
    private func isWanted(
        _ event: BorrowedEvent, isUnderWay: Bool, _ known: inout Bool?
    ) -> Bool {
        guard let wantedKind else { return true }
        if isUnderWay { known = true }
        if let known { return known }
        let kind = ActivityCatalog.standard.kind(ofEventType: event.typeName)?.name
        known = kind.map { $0 == wantedKind }
        return known ?? false
    }

    /// Whether an activity begins with an event because those before it are left out.
    private func begins(_ event: BorrowedEvent) -> Bool {
        !unbegun.isEmpty && unbegun.remove(event.activityID) != nil
    }

    /// What is left out is forgotten as well: of what comes of it later nothing is begun.
    private func take(_ event: BorrowedEvent, _ activity: inout BothPolicies?) {
        if activity == nil, let wantedKind,
            let kind = ActivityCatalog.standard.kind(ofEventType: event.typeName)?.name,
            kind != wantedKind
        {
            return
        }
        let both = activity ?? BothPolicies(policies)
        if case .underWay = both.take(event) {
            activity = both
            return
        }
        count(both, of: event.activityID)
        activity = nil
    }

    private func count(_ both: BothPolicies, of id: ActivityID) {
        let result = both.result
        if result.isLeftOut { report.activitiesLeftOut += 1 }
        if both.isCounted { report.add(result, of: id, both.kind) }
    }

    func finish() -> WhatIfReport {
        for (id, both) in activities { count(both, of: id) }
        activities = [:]
        return report
    }
}
