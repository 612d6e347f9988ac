public import Domain
public import EventStore
import Foundation
public import Projections
import PushDispatch

/// The history of one activity, folded afresh from the log.
public struct Timeline: Sendable {
    /// One event and all that followed from it.
    public struct Entry: Sendable {
        public var event: RecordedEvent
        public var snapshot: Snapshot
        public var changes: [MemberChange]
        public var presentation: Presentation
        /// Recomputed from the log.
        public var decision: Decision
        /// What the ledger says became of it; nil when it is not in the ledger yet.
        public var ledger: LedgerRow?

        /// Seconds between the event and its arrival in the log.
        public var latenessSeconds: Double {
            event.recordedAt.seconds(since: event.event.occurredAt)
        }
    }

    public var activityID: ActivityID
    public var entries: [Entry]

    /// Reads an activity's events and ledger and folds the events again.
    public static func read(
        _ store: EventStore, tenant: TenantID, activity: ActivityID
    ) async throws(ReplayError) -> Timeline {
        let ledger = try await ledger(store, tenant, activity)
        let skipped: Set<Int64>
        let policies: [StoredPolicy]
        do {
            skipped = try await store.upkeep.skipped(tenant)
            policies = try await store.policies.all(tenant)
        } catch { throw .store(error) }
        let book = try PolicyBook(replaying: policies)
        var entries: [Entry] = []
        var snapshot: Snapshot?
        var after: Int64 = 0
        while true {
            let page = try await events(store, tenant, activity, after: after)
            after = page.last?.version ?? after
            for event in page where !skipped.contains(event.position) {
                let entry = try step(event, snapshot, ledger[event.version], book)
                snapshot = entry.snapshot
                entries.append(entry)
            }
            if page.count < Limits.pageEvents { break }
        }
        if entries.isEmpty {
            throw .noSuchActivity(
                activity, similar: try await similar(store, tenant, to: activity))
        }
        return Timeline(activityID: activity, entries: entries)
    }

    private static func step(
        _ event: RecordedEvent, _ before: Snapshot?, _ ledger: LedgerRow?, _ book: PolicyBook
    ) throws(ReplayError) -> Entry {
        do {
            let step = try ActivityStep.apply(event, to: before, under: book)
            return Entry(
                event: event, snapshot: step.snapshot,
                changes: StateDifference.between(
                    before?.contentState, step.snapshot.contentState),
                presentation: try ActivityCatalog.presentation(
                    kind: step.snapshot.kind, attributes: step.snapshot.attributes,
                    contentState: step.snapshot.contentState),
                decision: step.decision, ledger: ledger)
        } catch { throw .unfoldable(version: event.version, error) }
    }

    private static func events(
        _ store: EventStore, _ tenant: TenantID, _ activity: ActivityID, after version: Int64
    ) async throws(ReplayError) -> [RecordedEvent] {
        do {
            return try await store.log.readActivity(
                tenant, activity, version, Limits.pageEvents)
        } catch { throw .store(error) }
    }

    private static func ledger(
        _ store: EventStore, _ tenant: TenantID, _ activity: ActivityID
    ) async throws(ReplayError) -> [Int64: LedgerRow] {
        var rows: [Int64: LedgerRow] = [:]
        var after: Int64 = 0
        while true {
            do {
                let page = try await store.projections.decisions(
                    tenant, activity, after, Limits.pageEvents)
                for row in page { rows[row.decision.version] = row }
                guard page.count == Limits.pageEvents, let last = page.last else { return rows }
                after = last.decision.version
            } catch { throw .store(error) }
        }
    }

    /// Ids that share most of their characters' order with the one asked for.
    private static func similar(
        _ store: EventStore, _ tenant: TenantID, to activity: ActivityID
    ) async throws(ReplayError) -> [ActivityID] {
        do {
            let known = try await store.projections.snapshots(tenant, nil, Limits.pageEvents)
            return Similarity.nearest(
                to: activity.rawValue, among: known.map(\.activityID.rawValue)
            )
            .map { ActivityID(rawValue: $0) }
        } catch { throw .store(error) }
    }
}
