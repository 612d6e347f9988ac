import Domain
import EventStore
import Projections

/// Reads a tenant's whole log, folds it again, and compares with what is stored.
public struct Verifier {
    public enum Depth: Hashable, Sendable {
        /// Every decision is made again and compared.
        case full
        /// States are folded and compared; of decisions only whether each event has one.
        case quick
    }

    /// One stretch of the log with the ledger's rows beside it.
    struct Stretch: Sendable {
        var page: HistoryPage
        var ledger: LedgerPage?
    }

    /// - Throws: `ReplayError` when the log cannot be read; defects are no errors.
    public static func verify(
        _ history: History, depth: Depth = .full,
        progress: @escaping ReplayProgress = { _, _ in }
    ) async throws(ReplayError) -> VerificationReport {
        let book = try await PolicyBook.replaying(history)
        // Read first: what is folded while we look would otherwise seem to be missing.
        let checkpoint = try await history.ledger?.checkpoint()
        let head = try await history.end()
        let parked = try await history.ledger?.parked() ?? [:]
        let through = max(head, checkpoint ?? 0)
        let walkers = (0..<LogWalk.walkers).map {
            VerifyingWalker(
                share: (index: $0, count: LogWalk.walkers), history, depth, book,
                parked: parked, checkpoint: checkpoint ?? through)
        }
        let order = LogOrder(after: history.after, isDense: history.onlyActivity == nil)
        try await LogWalk.run(
            walkers, over: (history.after, through),
            read: { (positions) async throws(ReplayError) in
                async let ledger = Self.ledger(history, depth, positions)
                let page = try await history.page(positions)
                try await order.take(page)
                return Stretch(page: page, ledger: try await ledger.get())
            }, progress: progress)
        if let checkpoint { await order.end(checkpoint: checkpoint, head: head) }
        var report = VerificationReport(
            tenant: history.tenant, events: await order.events, activities: 0, decisions: 0,
            defects: [], defectsUnnamed: 0)
        var defects = await order.defects
        for walker in walkers { await walker.finish(into: &report, &defects) }
        if let checkpoint {
            try await strays(history, depth, upTo: checkpoint, into: &defects)
        }
        (report.defects, report.defectsUnnamed) = (defects.named, defects.unnamed)
        return report
    }

    private static func ledger(
        _ history: History, _ depth: Depth, _ positions: ClosedRange<Int64>
    ) async -> Result<LedgerPage?, ReplayError> {
        guard depth == .full, let ledger = history.ledger else { return .success(nil) }
        do throws(ReplayError) { return .success(try await ledger.page(positions)) } catch {
            return .failure(error)
        }
    }

    /// What the walk along the events does not come by.
    private static func strays(
        _ history: History, _ depth: Depth, upTo checkpoint: Int64,
        into defects: inout DefectList
    ) async throws(ReplayError) {
        guard let ledger = history.ledger else { return }
        for kind in Stray.Kind.allCases where depth == .quick || kind != .undecidedEvent {
            for stray in try await ledger.strays(kind, checkpoint, Limits.pageEvents) {
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
