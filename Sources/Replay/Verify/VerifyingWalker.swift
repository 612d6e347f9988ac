import DeliveryRules
import Domain
import EventStore
import Projections

/// Folds a share of a log's activities again and compares each with its snapshot as soon as it has
/// come to the snapshot's version. It is forgotten then, so that memory has the activities that
/// are under way at one time and not all that there ever were.
actor VerifyingWalker: LogWalker {
    private let share: (index: Int, count: Int)
    private let history: History
    private let hasLedger: Bool
    private let depth: Verifier.Depth
    private let book: PolicyBook
    private let parked: [Int64: Bool]
    private let checkpoint: Int64
    /// Last position of the walk.
    private let through: Int64
    private var activities: [ActivityID: VerifiedActivity] = [:]
    /// Activities of this stretch whose snapshots were compared.
    private var compared: [ActivityID] = []
    private var defects = DefectList()
    /// What looks wrong in this stretch, until it is known that nothing came between two reads.
    private var doubtful: [ActivityID: [Defect]] = [:]
    /// What was erased and looked at once more. That look found all that is wrong with it.
    private var lookedAtAgain: Set<ActivityID> = []
    private var activityCount = 0
    private var decisionCount = 0
    private var decisionsOfOtherRules = 0
    private var withoutBeginning = 0
    /// Where an event does not have the version that comes next.
    private(set) var gaps: [VersionGap] = []
    /// How many gaps are not looked into.
    private(set) var gapsLeftOut = 0
    /// Rows of the ledger that belong to an event: those that were read, or in a quick verification
    /// those that there should be.
    private(set) var rows = LedgerCensus()
    /// Snapshots of activities that were come by, up to the checkpoint.
    private(set) var snapshotCount = 0

    init(
        share: (index: Int, count: Int), _ history: History, _ depth: Verifier.Depth,
        _ book: PolicyBook, parked: [Int64: Bool], checkpoint: Int64, through: Int64
    ) {
        self.share = share
        self.history = history
        hasLedger = history.database != nil
        self.depth = depth
        self.book = book
        self.parked = parked
        self.checkpoint = checkpoint
        self.through = through
    }

    func take(_ stretch: Verifier.Stretch) async throws(ReplayError) {
        try await walk(stretch)
        try await settle()
    }

    private func walk(_ stretch: Verifier.Stretch) async throws(ReplayError) {
        let page = stretch.page
        let areMine = page.areIn(share)
        var here = page.activities.indices.map { owner in
            areMine[owner] ? activities[page.activities[owner]] : nil
        }
        let goingOn = page.activities.indices.filter {
            areMine[$0] && here[$0] == nil && !page.versions[$0].contains(1)
        }
        let preceding = try await preceding(page, goingOn)
        let snapshots = try await snapshots(
            stretch, goingOn.map { page.activities[$0] }.filter { preceding[$0] == nil })
        try page.forEachEvent(of: areMine) { (owner, event) throws(ReplayError) in
            var row: LedgerEntry?
            if let ledger = stretch.ledger, let index = ledger.index(owner, event.version) {
                row = LedgerEntry(page: ledger, index: index)
                rows.add(event.activityID, event.version)
            }
            let known = here[owner].flatMap { comesAgain(event, after: $0) ? nil : $0 }
            let id = event.activityID
            let activity = known ?? begin(event, snapshots[id], after: preceding[id])
            here[owner] = activity
            try take(event, row, activity)
        }
        forgetCompared()
    }

    /// The version that the log has before this stretch of each activity that is not under way and
    /// does not begin here: it was compared and forgotten. The snapshot may have moved on since.
    private func preceding(
        _ page: HistoryPage, _ goingOn: [Int]
    ) async throws(ReplayError) -> [ActivityID: Int64] {
        guard let database = history.database, !goingOn.isEmpty else { return [:] }
        let parts = page.parts
        let mine = goingOn.map { parts[$0] }
        let first = page.place(0).position
        return try await asked(
            try await database.store.replays.preceding(database.tenant, mine, first))
    }

    /// Snapshots of the activities that begin here, and of those whose first events are lost.
    private func snapshots(
        _ stretch: Verifier.Stretch, _ others: [ActivityID]
    ) async throws(ReplayError) -> [ActivityID: Snapshot] {
        guard let database = history.database, !others.isEmpty else { return stretch.snapshots }
        var snapshots = stretch.snapshots
        for snapshot in try await database.snapshots(others) {
            snapshots[snapshot.activityID] = snapshot
        }
        return snapshots
    }

    /// Not before the end of the stretch: its snapshot would be asked for again.
    private func forgetCompared() {
        for id in compared where activities[id]?.version == activities[id]?.stored?.version {
            activities[id] = nil
        }
        compared.removeAll(keepingCapacity: true)
    }

    private func take(
        _ event: BorrowedEvent, _ row: LedgerEntry?, _ activity: VerifiedActivity
    ) throws(ReplayError) {
        checkVersion(event, activity)
        guard event.position <= checkpoint, parked[event.position] != true else { return }
        if depth == .states, parked.isEmpty || parked[event.position] == nil {
            rows.add(event.activityID, event.version)
        }
        switch activity.content {
        case .notFolded: return
        case .past(let end):
            guard parked[event.position] == nil else { return }
            add(
                .snapshotDiffers, event.activityID, event.position,
                "its snapshot ends at version \(end), and version \(event.version) is folded; "
                    + "rebuild the projection")
            activity.content = .notFolded
        case .nothing, .fold: try fold(event, row, activity)
        }
    }

    /// Whether the activity was dropped from the log once it was archived, and reported again
    /// later: it is a new one then, of which the next archive has the events.
    private func comesAgain(_ event: BorrowedEvent, after activity: VerifiedActivity) -> Bool {
        !hasLedger && event.version == 1 && activity.version > 0 && activity.isOver
    }

    /// Whatever comes first of an activity: its beginning, or what follows once it was compared.
    /// - Parameter version: that it was compared at, and is counted with; nil for a beginning.
    private func begin(
        _ event: BorrowedEvent, _ stored: Snapshot?, after version: Int64?
    ) -> VerifiedActivity {
        let activity = VerifiedActivity(stored: stored)
        activities[event.activityID] = activity
        if let version {
            activity.content = .past(version: version)
            activity.version = version
            return activity
        }
        activityCount += 1
        if let stored, stored.position <= checkpoint { snapshotCount += 1 }
        if event.version > 1, history.isPart {
            activity.content = .notFolded
            activity.version = event.version - 1
            withoutBeginning += 1
        }
        if stored == nil, history.database != nil, event.position <= checkpoint,
            parked[event.position] == nil
        {
            add(
                .snapshotMissing, event.activityID, nil,
                "no snapshot is stored; rebuild the projection")
        }
        return activity
    }

    private func checkVersion(_ event: BorrowedEvent, _ activity: VerifiedActivity) {
        let expected = activity.version &+ 1
        if event.version != expected {
            let gap = VersionGap(
                activity: event.activityID, position: event.position, expected: expected,
                version: event.version)
            if gaps.count < Limits.versionGapsMax { gaps.append(gap) } else { gapsLeftOut += 1 }
        }
        activity.version = event.version
    }

    private func fold(
        _ event: BorrowedEvent, _ row: LedgerEntry?, _ activity: VerifiedActivity
    ) throws(ReplayError) {
        let made: ReplayFold.Conclusion
        do throws(FoldError) {
            made = try activity.fold(event, depth, under: book)
        } catch {
            if case .kindMismatch = error { return }
            activity.content = .notFolded
            add(
                .unfoldable, event.activityID, event.position,
                "the event cannot be folded; the activity stays as it was before it: see islet "
                    + "projections parked")
            return
        }
        if hasLedger { decisionCount += 1 }
        try compare(made, event, row, activity)
        if let end = activity.end, end == (event.version, event.position) {
            if let stored = activity.stored { compare(stored, activity) }
            activity.content = .past(version: event.version)
            compared.append(event.activityID)
        }
    }

    private func compare(
        _ made: ReplayFold.Conclusion, _ event: BorrowedEvent, _ row: LedgerEntry?,
        _ activity: VerifiedActivity
    ) throws(ReplayError) {
        guard hasLedger else { return }
        switch made {
        case .nothing: break
        case .unchanged(let unchanged):
            // Most events are such, and their decision need not even be made.
            if let row, try row.says(unchanged) { return }
            try compare(unchanged.decision(about: event), row, activity)
        case .decided(let decision): try compare(decision, row, activity)
        }
    }

    private func compare(
        _ made: Decision, _ row: LedgerEntry?, _ activity: VerifiedActivity
    ) throws(ReplayError) {
        guard let row else {
            doubtful[made.activityID, default: []].append(
                .missingDecision(made.activityID, made.version, made.position))
            return
        }
        if try row.says(made) { return }
        let stored = try row.decision(insteadOf: made)
        // What follows a decision of other rules depends on it.
        if stored.rulesVersion != made.rulesVersion { activity.isOfOtherRules = true }
        switch DecisionComparison(
            made, stored, isRecomputable: !activity.isOfOtherRules)
        {
        case .equal: break
        case .ofOtherRules: decisionsOfOtherRules += 1
        case .differs(let detail):
            add(.decisionDiffers, made.activityID, made.position, detail)
        }
    }

    private func compare(_ stored: Snapshot, _ activity: VerifiedActivity) {
        guard let folded = activity.snapshot() else { return }
        let withDispatch = depth == .decisions && !activity.isOfOtherRules
        let differing = SnapshotComparison.differing(stored, folded, withDispatch: withDispatch)
        guard !differing.isEmpty else { return }
        let isOfThisFold = stored.foldVersion == folded.foldVersion
        let fold =
            isOfThisFold
            ? ""
            : " (fold version \(stored.foldVersion) wrote it, this program has "
                + "\(folded.foldVersion))"
        let remedy = isOfThisFold ? ", or raise foldVersion if you have changed the fold" : ""
        add(
            .snapshotDiffers, stored.activityID, stored.position,
            "\(differing.joined(separator: ", ")) differ from the log folded afresh\(fold); "
                + "rebuild the projection\(remedy)")
    }

    private func add(
        _ kind: Defect.Kind, _ activity: ActivityID, _ position: Int64?, _ detail: String
    ) {
        doubtful[activity, default: []].append(
            Defect(
                kind: kind, activityID: activity.rawValue, position: position, detail: detail))
    }

    /// Keeps what is wrong of what looks so. Events, snapshots and decisions are read one after the
    /// other, since a log takes too long for one transaction. A drop or an erasure in between sets
    /// them at odds. When that shows, it is committed, and the database can say so.
    private func settle() async throws(ReplayError) {
        guard !doubtful.isEmpty else { return }
        var found = doubtful
        doubtful = [:]
        for touched in try await history.database?.touched(Array(found.keys), upTo: through) ?? [] {
            found[touched.activityID] = nil
            if !touched.isDropped, lookedAtAgain.insert(touched.activityID).inserted {
                found[touched.activityID] = try await lookAgain(at: touched)
            }
        }
        for defect in found.values.joined() { defects.add(defect) }
    }

    /// Reads one activity by itself, again until no erasure has come in between.
    private func lookAgain(
        at erased: TouchedActivity
    ) async throws(ReplayError) -> [Defect] {
        var before: TouchedActivity? = erased
        while true {
            let walker = VerifyingWalker(
                share: (index: 0, count: 1), history, depth, book, parked: parked,
                checkpoint: checkpoint, through: through)
            let found = try await walker.read(erased.activityID)
            let now = try await history.database?.touched([erased.activityID], upTo: through).first
            if now?.isDropped == true { return [] }
            if now == before { return found }
            before = now
        }
    }

    /// Walks through one activity instead of a share.
    /// - Returns: what looks wrong of it.
    private func read(_ activity: ActivityID) async throws(ReplayError) -> [Defect] {
        var version: Int64 = 0
        while true {
            let known = try await history.stream(activity, version, Limits.pageEvents)
            let events = known.filter { $0.position <= through }
            guard let last = events.last else { break }
            let page = HistoryPage(events)
            try await walk(
                Verifier.Stretch(
                    page: page, ledger: try await Verifier.ledger(history, depth, page),
                    snapshots: try await Verifier.snapshots(history, page)))
            version = last.version
        }
        compareRest()
        return doubtful[activity] ?? []
    }

    /// Compares what has not come to its snapshot's version.
    private func compareRest() {
        for activity in activities.values {
            // Newer than what was read: folded while we looked.
            guard let stored = activity.stored, stored.position <= checkpoint else { continue }
            compare(stored, activity)
        }
    }

    /// Says what was found.
    func finish(
        into report: inout VerificationReport, _ all: inout DefectList
    ) async throws(ReplayError) {
        compareRest()
        try await settle()
        report.activities += activityCount
        report.decisions += decisionCount
        report.decisionsOfOtherRules += decisionsOfOtherRules
        report.activitiesWithoutBeginning += withoutBeginning
        all.add(defects)
    }
}

/// One row of the ledger, not decoded.
private struct LedgerEntry {
    let page: any LedgerPage
    let index: Int

    func says(_ decision: Decision) throws(ReplayError) -> Bool {
        do { return try page.says(decision, index) } catch { throw .store(error) }
    }

    func says(_ unchanged: ReplayFold.Unchanged) throws(ReplayError) -> Bool {
        do {
            return try page.saysHold(
                index, rule: Assessment.unchanged.rule, significance: .none,
                contentState: unchanged.contentState, policyVersion: unchanged.policy.version,
                rulesVersion: DispatchMachine.rulesVersion)
        } catch { throw .store(error) }
    }

    func decision(insteadOf made: Decision) throws(ReplayError) -> Decision {
        do { return try page.decision(index, insteadOf: made) } catch { throw .store(error) }
    }
}
