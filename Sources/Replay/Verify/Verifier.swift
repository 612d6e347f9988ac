import Domain
import EventStore
import Projections

/// Reads a tenant's whole log, folds it again, and compares with what is stored.
public struct Verifier {
    public enum Depth: Hashable, Sendable {
        /// States are folded and compared; of decisions only whether each event has one.
        case states
        /// Every decision is made again as well, and compared.
        case decisions
    }

    /// One stretch of the log with what stands beside it.
    struct Stretch: Sendable {
        var page: HistoryPage
        /// Rows by the places of the page's activities.
        var ledger: (any LedgerPage)?
        /// Snapshots of the activities that begin here.
        var snapshots: [ActivityID: Snapshot]
    }

    /// - Throws: `ReplayError` when the log cannot be read; defects are no errors.
    public static func verify(
        _ history: History, depth: Depth = .states,
        progress: @escaping ReplayProgress = { _, _ in }
    ) async throws(ReplayError) -> VerificationReport {
        let policies = try await history.policies()
        // Read first: what is folded while we look would otherwise seem to be missing.
        let checkpoint = try await history.database?.checkpoint()
        let head = try await history.end()
        let parked = try await history.database?.parked() ?? [:]
        // A snapshot that moves on meanwhile is counted now, and not when it is come by.
        let snapshotCount = try await Self.snapshotCount(history, upTo: checkpoint)
        let through = max(head, checkpoint ?? 0)
        let walkers = try (0..<LogWalk.walkers).map { (index) throws(ReplayError) in
            VerifyingWalker(
                share: (index: index, count: LogWalk.walkers), history, depth,
                try PolicyBook(replaying: policies), parked: parked,
                checkpoint: checkpoint ?? through, through: through)
        }
        let order = try await LogOrder.of(history)
        // Beside the walk, as the database has time then.
        async let census = Result { () async throws(ReplayError) in
            try await Self.census(history)
        }
        try await LogWalk.run(
            walkers, over: history, through: through,
            completing: { (page) async throws(ReplayError) in
                try await order.take(page)
                async let ledger = Result { () async throws(ReplayError) in
                    try await Self.ledger(history, depth, page)
                }
                async let snapshots = Result { () async throws(ReplayError) in
                    try await Self.snapshots(history, page)
                }
                return Stretch(
                    page: page, ledger: try await ledger.get(),
                    snapshots: try await snapshots.get())
            }, progress: progress)
        if let checkpoint { try await order.end(checkpoint: checkpoint, head: head) }
        let notFolded = checkpoint.map { max(0, head - $0) } ?? 0
        var report = VerificationReport(
            tenant: history.tenant, events: await order.events, activities: 0, decisions: 0,
            areDecisionsMadeAgain: depth == .decisions, notFolded: notFolded, defects: [],
            defectsUnnamed: 0)
        report.activitiesErased = try await history.database?.erased() ?? 0
        var defects = await order.defects
        var rows = LedgerCensus()
        var snapshotsSeen = 0
        for walker in walkers {
            try await walker.finish(into: &report, &defects)
            rows.add(await walker.rows)
            snapshotsSeen += await walker.snapshotCount
        }
        var sorts: [Stray.Kind] = snapshotCount == snapshotsSeen ? [] : [.groundlessSnapshot]
        if try await census.get() != rows {
            sorts +=
                depth == .states ? [.undecidedEvent, .groundlessDecision] : [.groundlessDecision]
        }
        if let checkpoint, let database = history.database {
            try await strays(database, sorts, upTo: checkpoint, into: &defects)
        }
        var notes = DefectList()
        try await explainGaps(
            of: walkers, in: history, through: through, into: &defects, or: &notes)
        (report.defects, report.defectsUnnamed) = (defects.named, defects.unnamed)
        (report.notes, report.notesUnnamed) = (notes.named, notes.unnamed)
        return report
    }

    /// The ledger's rows, of which a verification of states needs none.
    static func ledger(
        _ history: History, _ depth: Depth, _ page: HistoryPage
    ) async throws(ReplayError) -> (any LedgerPage)? {
        guard depth == .decisions, let database = history.database else { return nil }
        return try await asked(
            try await database.store.replays.ledger(database.tenant, page.parts))
    }

    static func snapshots(
        _ history: History, _ page: HistoryPage
    ) async throws(ReplayError) -> [ActivityID: Snapshot] {
        let beginning = page.activities.indices.filter { page.versions[$0].contains(1) }
        guard let database = history.database, !beginning.isEmpty else { return [:] }
        let snapshots = try await database.snapshots(beginning.map { page.activities[$0] })
        return Dictionary(snapshots.map { ($0.activityID, $0) }, uniquingKeysWith: { $1 })
    }

    private static func snapshotCount(
        _ history: History, upTo checkpoint: Int64?
    ) async throws(ReplayError) -> Int {
        guard let database = history.database, let checkpoint else { return 0 }
        return try await asked(
            try await database.store.replays.snapshotCount(database.tenant, checkpoint))
    }

    private static func census(_ history: History) async throws(ReplayError) -> LedgerCensus {
        guard let database = history.database else { return LedgerCensus() }
        return try await asked(try await database.store.replays.census(database.tenant))
    }

    /// What the counts do not account for, looked for in all that there is.
    private static func strays(
        _ database: History.Database, _ kinds: [Stray.Kind], upTo checkpoint: Int64,
        into defects: inout DefectList
    ) async throws(ReplayError) {
        for kind in kinds {
            let strays = try await asked(
                try await database.store.replays.strays(
                    database.tenant, kind, checkpoint, Limits.pageEvents))
            for stray in strays {
                defects.add(Defect(stray, kind))
            }
        }
    }
}

extension Defect {
    fileprivate init(_ stray: Stray, _ kind: Stray.Kind) {
        switch kind {
        case .undecidedEvent:
            self = .missingDecision(stray.activityID, stray.version, stray.position)
        case .groundlessDecision:
            self.init(
                kind: .decisionWithoutEvent, activityID: stray.activityID.rawValue,
                position: stray.position,
                detail: "the ledger has a row for version \(stray.version), which the log does not "
                    + "give; rebuild the projection")
        case .groundlessSnapshot:
            self.init(
                kind: .snapshotWithoutEvents, activityID: stray.activityID.rawValue,
                detail: "a snapshot is stored but the log has no event of it; rebuild the "
                    + "projection")
        }
    }

    static func missingDecision(
        _ activity: ActivityID, _ version: Int64, _ position: Int64
    ) -> Defect {
        Defect(
            kind: .decisionMissing, activityID: activity.rawValue, position: position,
            detail: "version \(version) has no row in the ledger; rebuild the projection")
    }
}
