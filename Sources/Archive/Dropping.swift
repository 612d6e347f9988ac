public import Domain
public import EventStore

/// Lets go of what has ended and is archived, a few activities at a time.
public enum Dropping {
    /// - Parameters:
    ///   - root: directory of the tenant's archives. What the ledger and the cards said is written
    ///     there before it goes.
    ///   - seals: seal what they said.
    ///   - report: called with how many activities are gone.
    public static func run(
        _ store: any RetentionStore, _ tenant: TenantID, _ retention: Retention,
        in root: Layout, seals: SubjectSeals, report: @Sendable (DroppedActivities) -> Void
    ) async throws(ArchiveError) -> DroppedActivities {
        try await ArchiveFiles.with(root) { (files) async throws(ArchiveError) in
            try await files.prepare()
            return try await run(store, tenant, retention, into: files, seals, report)
        }
    }

    private static func run(
        _ store: any RetentionStore, _ tenant: TenantID, _ retention: Retention,
        into files: ArchiveFiles, _ seals: SubjectSeals,
        _ report: @Sendable (DroppedActivities) -> Void
    ) async throws(ArchiveError) -> DroppedActivities {
        var total = DroppedActivities()
        var place: ActivityID?
        repeat {
            try Interruption.check()
            let page = try await asked(
                try await store.droppable(tenant, retention, after: place))
            for some in page.activities.parts(of: Limits.activitiesNotedAtOnce) {
                try await note(some, store, tenant, files, seals)
                for few in some.parts(of: Limits.activitiesDroppedAtOnce) {
                    let dropped = try await unhurried {
                        () async throws(ArchiveError) in
                        try await asked(try await store.drop(tenant, few))
                    }
                    total.activities += dropped.activities
                    total.events += dropped.events
                    report(total)
                }
            }
            place = page.last
        } while place != nil
        return total
    }

    /// Writes down what the ledger and the cards said of them. One write to the disk is for many of
    /// them, because each keeps the database's own waiting.
    private static func note(
        _ activities: [DroppableActivity], _ store: any RetentionStore, _ tenant: TenantID,
        _ files: ArchiveFiles, _ seals: SubjectSeals
    ) async throws(ArchiveError) {
        var lines = ""
        for few in activities.parts(of: Limits.activitiesDroppedAtOnce) {
            let records = try await unhurried { () async throws(ArchiveError) in
                try await seals.sealed(recordsOf: few.map(\.id)) {
                    () async throws(ArchiveError) in
                    try await asked(try await store.records(tenant, few))
                }
            }
            for record in records { lines += "\(record)\n" }
        }
        try await files.append(Array(lines.utf8), toEndOf: "ledger.ndjson")
    }

    /// Works, and then rests for twice as long as that took: what goes must not keep what is
    /// recorded meanwhile waiting.
    private static func unhurried<Outcome>(
        _ work: () async throws(ArchiveError) -> Outcome
    ) async throws(ArchiveError) -> Outcome {
        try Interruption.check()
        let began = ContinuousClock.now
        let outcome = try await work()
        try? await Task.sleep(for: (ContinuousClock.now - began) * 2)
        return outcome
    }
}

extension Array {
    /// - Parameter count: elements of each part; the last one may have fewer.
    fileprivate func parts(of count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map {
            Array(self[$0..<Swift.min($0 + count, self.count)])
        }
    }
}
