import Domain
public import EventStore
import Foundation
import Projections
import PushDispatch

/// Something in the store that contradicts the log.
public struct Defect: Hashable, Codable, Sendable {
    public enum Kind: String, Codable, Sendable {
        case positionHole = "position-hole"
        case versionHole = "version-hole"
        case unfoldable
        case snapshotDiffers = "snapshot-differs"
        case snapshotMissing = "snapshot-missing"
        case snapshotWithoutEvents = "snapshot-without-events"
        case decisionMissing = "decision-missing"
        case decisionDiffers = "decision-differs"
        case decisionWithoutEvent = "decision-without-event"
        case checkpointPastHead = "checkpoint-past-head"
    }

    public var kind: Kind
    public var activityID: String?
    /// Position in the tenant's log, where one can be named.
    public var position: Int64?
    /// What is wrong and what to do about it.
    public var detail: String
}

/// What a verification found.
public struct VerificationReport: Hashable, Codable, Sendable {
    public var tenant: String
    public var events: Int
    public var activities: Int
    public var decisions: Int
    /// Made by another version of the rules; only their states were compared.
    public var decisionsOfOtherRules = 0
    public var defects: [Defect]
    /// Defects beyond those named.
    public var defectsUnnamed: Int

    public var isSound: Bool { defects.isEmpty }
}

/// Reads a tenant's whole log, folds it again, and compares with what is stored.
public struct Verifier {
    private let store: EventStore
    private let tenant: Tenant
    private var snapshots: [ActivityID: Snapshot] = [:]
    private var versions: [ActivityID: Int64] = [:]
    private var unfoldable: Set<ActivityID> = []
    /// Positions that somebody decided to leave out of the fold.
    private var skipped: Set<Int64> = []
    private var book = PolicyBook.builtIn
    /// Activities with decisions of other rules: their machine stands elsewhere.
    private var ofOtherRules: Set<ActivityID> = []
    private var decisions: [ActivityID: [Decision]] = [:]
    private var report: VerificationReport

    public static func verify(
        _ store: EventStore, tenant: Tenant
    ) async throws(ReplayError) -> VerificationReport {
        var verifier = Verifier(store, tenant)
        let policies: [StoredPolicy]
        do { policies = try await store.policies.all(tenant.id) } catch { throw .store(error) }
        verifier.book = try PolicyBook(replaying: policies)
        do {
            // Read first: what is folded while we look would otherwise seem to be missing.
            let checkpoint = try await store.projections.checkpoint(tenant.id)
            let head = try await store.log.head(tenant.id)
            verifier.skipped = try await store.upkeep.skipped(tenant.id)
            try await verifier.readLog(upTo: checkpoint, head: head)
            try await verifier.compareDecisions(at: checkpoint)
            try await verifier.compareSnapshots(at: checkpoint)
        } catch { throw .store(error) }
        return verifier.report
    }

    private init(_ store: EventStore, _ tenant: Tenant) {
        self.store = store
        self.tenant = tenant
        report = VerificationReport(
            tenant: tenant.name, events: 0, activities: 0, decisions: 0, defects: [],
            defectsUnnamed: 0)
    }

    private mutating func readLog(
        upTo checkpoint: Int64, head: Int64
    ) async throws(EventStoreError) {
        var position: Int64 = 0
        while true {
            let page = try await store.log.read(tenant.id, position, Limits.pageEvents)
            for event in page {
                if event.position != position + 1 {
                    add(
                        .positionHole, position: position + 1,
                        "positions \(position + 1) to \(event.position - 1) are missing: events "
                            + "were lost; restore them from a backup")
                }
                position = event.position
                take(event, isFolded: event.position <= checkpoint)
            }
            if page.count < Limits.pageEvents { break }
        }
        report.activities = versions.count
        checkEnd(at: position, checkpoint: checkpoint, head: head)
    }

    /// A log that lost its end is dense: only what stands elsewhere gives it away.
    private mutating func checkEnd(at position: Int64, checkpoint: Int64, head: Int64) {
        if head > position {
            add(
                .positionHole, position: position + 1,
                "positions \(position + 1) to \(head) are missing at the end: events were lost; "
                    + "restore them from a backup")
        }
        if checkpoint > position {
            add(
                .checkpointPastHead, position: checkpoint,
                "the checkpoint is at \(checkpoint), the log ends at \(position): the end of the "
                    + "log was lost; restore it from a backup")
        }
    }

    private mutating func take(_ event: RecordedEvent, isFolded: Bool) {
        let activity = event.event.activityID
        report.events += 1
        let expected = (versions[activity] ?? 0) + 1
        if event.version != expected {
            add(
                .versionHole, activity, position: event.position,
                "version \(expected) is missing, \(event.version) follows: events were lost; "
                    + "restore them from a backup")
        }
        versions[activity] = event.version
        guard isFolded, !unfoldable.contains(activity), !skipped.contains(event.position) else {
            return
        }
        do {
            let step = try ActivityStep.apply(event, to: snapshots[activity], under: book)
            snapshots[activity] = step.snapshot
            decisions[activity, default: []].append(step.decision)
        } catch FoldError.kindMismatch {
            return
        } catch {
            unfoldable.insert(activity)
            add(
                .unfoldable, activity, position: event.position,
                "the event cannot be folded; the activity stays as it was before it: see islet "
                    + "projections parked")
        }
    }

    private mutating func compareDecisions(
        at checkpoint: Int64
    ) async throws(EventStoreError) {
        for activity in decisions.keys.sorted() {
            var stored = try await ledger(of: activity)
            var isRecomputable = true
            for decision in decisions[activity] ?? [] {
                let row = stored.removeValue(forKey: decision.version)
                // What follows a decision of other rules depends on it.
                if let row, row.rulesVersion != decision.rulesVersion {
                    isRecomputable = false
                    ofOtherRules.insert(activity)
                }
                compare(decision, row, isRecomputable: isRecomputable)
            }
            if unfoldable.contains(activity) { continue }
            // Newer than what was read: decided while we looked.
            let unexpected = stored.values.filter { $0.position <= checkpoint }
            for decision in unexpected.sorted(by: { $0.version < $1.version }) {
                add(
                    .decisionWithoutEvent, activity, position: decision.position,
                    "the ledger has a row for version \(decision.version), which the log does not "
                        + "give; rebuild the projection")
            }
        }
    }

    private func ledger(
        of activity: ActivityID
    ) async throws(EventStoreError) -> [Int64: Decision] {
        var stored: [Int64: Decision] = [:]
        var after: Int64 = 0
        while true {
            let page = try await store.projections.decisions(
                tenant.id, activity, after, Limits.pageEvents)
            for row in page { stored[row.decision.version] = row.decision }
            guard page.count == Limits.pageEvents, let last = page.last else { return stored }
            after = last.decision.version
        }
    }

    private mutating func compare(
        _ expected: Decision, _ stored: Decision?, isRecomputable: Bool
    ) {
        report.decisions += 1
        guard let stored else {
            add(
                .decisionMissing, expected.activityID, position: expected.position,
                "version \(expected.version) has no row in the ledger; rebuild the projection")
            return
        }
        if CatchUp.explains(stored, insteadOf: expected) { return }
        guard isRecomputable || stored.contentState != expected.contentState else {
            report.decisionsOfOtherRules += 1
            return
        }
        let differing = Self.decisionMembers.filter { !$0.isEqual(stored, expected) }.map(\.name)
        if !differing.isEmpty {
            add(
                .decisionDiffers, expected.activityID, position: expected.position,
                "\(differing.joined(separator: ", ")) differ: the ledger says "
                    + "\(stored.verdict.rawValue) by \(stored.rule), the log gives "
                    + "\(expected.verdict.rawValue) by \(expected.rule): the ledger was altered")
        }
    }

    private static let decisionMembers:
        [(name: String, isEqual: @Sendable (Decision, Decision) -> Bool)] = [
            ("verdict", { $0.verdict == $1.verdict }),
            // A row of before it was kept has none.
            ("significance", { $0.significance ?? $1.significance == $1.significance }),
            ("rule", { $0.rule == $1.rule }),
            ("alert", { $0.alert == $1.alert }),
            ("content state", { $0.contentState == $1.contentState }),
            ("policy version", { $0.policyVersion == $1.policyVersion }),
            ("order", { $0.order == $1.order }),
            ("news", { $0.news == $1.news }),
        ]

    private mutating func compareSnapshots(at checkpoint: Int64) async throws(EventStoreError) {
        var missing = Set(snapshots.keys)
        var after: ActivityID?
        while true {
            let page = try await store.projections.snapshots(tenant.id, after, Limits.pageEvents)
            for stored in page {
                missing.remove(stored.activityID)
                // Newer than what was read: folded while we looked.
                if stored.position <= checkpoint { compare(stored) }
            }
            guard page.count == Limits.pageEvents, let last = page.last else { break }
            after = last.activityID
        }
        for activity in missing.sorted() {
            add(.snapshotMissing, activity, "no snapshot is stored; rebuild the projection")
        }
    }

    private mutating func compare(_ stored: Snapshot) {
        if unfoldable.contains(stored.activityID) { return }
        guard let folded = snapshots[stored.activityID] else {
            add(
                .snapshotWithoutEvents, stored.activityID,
                "a snapshot is stored but the log has no event of it; rebuild the projection")
            return
        }
        let isOfOtherRules = ofOtherRules.contains(stored.activityID)
        let differing = Self.snapshotMembers.filter { member in
            !member.isEqual(stored, folded) && !(isOfOtherRules && member.name == "dispatch")
        }.map(\.name)
        if !differing.isEmpty {
            add(
                .snapshotDiffers, stored.activityID, position: stored.position,
                "\(differing.joined(separator: ", ")) differ from the log folded afresh; "
                    + "rebuild the projection")
        }
    }

    private static let snapshotMembers:
        [(name: String, isEqual: @Sendable (Snapshot, Snapshot) -> Bool)] = [
            ("version", { $0.version == $1.version }),
            ("phase", { $0.phase == $1.phase }),
            ("state", { $0.state == $1.state }),
            ("attributes", { $0.attributes == $1.attributes }),
            ("content state", { $0.contentState == $1.contentState }),
            ("dispatch", { $0.dispatch == $1.dispatch }),
            ("facts", { $0.facts == $1.facts }),
        ]

    private mutating func add(
        _ kind: Defect.Kind, _ activity: ActivityID? = nil, position: Int64? = nil,
        _ detail: String
    ) {
        guard report.defects.count < Limits.defectsNamedMax else {
            report.defectsUnnamed += 1
            return
        }
        report.defects.append(
            Defect(
                kind: kind, activityID: activity?.rawValue, position: position, detail: detail))
    }
}
