import Domain
public import EventStore

/// Lets go of what has ended and is archived, a few activities at a time.
public enum Dropping {
    /// Looks first whether the archives that have them can be read. Of those that cannot, one whose
    /// events are all in the log is written again below the root.
    /// - Parameters:
    ///   - root: directory of the tenant's archives. What the ledger and the cards said is written
    ///     there before it goes.
    ///   - open: gives the place that was noted of an archive.
    ///   - wroteAgain: called with each archive that is written again.
    /// - Throws: `.unreadable` before anything is dropped that is in files which cannot be read.
    public static func run(
        _ store: EventStore, _ tenant: Tenant, _ retention: Retention,
        in root: Layout, open: @escaping @Sendable (String) throws(ArchiveError) -> Layout,
        wroteAgain: @escaping @Sendable (LogArchive) -> Void = { _ in },
        report: @escaping ProgressReport
    ) async throws(ArchiveError) -> DroppedActivities {
        let noted = NotedArchives(
            store: store, tenant: tenant, root: root,
            origin: try await Manifest.Origin.of(tenant, in: store.tenants), purpose: .dropping,
            open: open, wroteAgain: wroteAgain, report: report)
        return try await ArchiveFiles.with(root) { (files) async throws(ArchiveError) in
            try await files.prepare()
            return try await run(retention, noted, into: files)
        }
    }

    private static func run(
        _ retention: Retention, _ noted: NotedArchives, into files: ArchiveFiles
    ) async throws(ArchiveError) -> DroppedActivities {
        let (store, tenant) = (noted.store.retention, noted.tenant.id)
        let seals = SubjectSeals(noted.store.erasure, of: tenant)
        var total = DroppedActivities()
        var place: ActivityID?
        var found: Set<LogArchive> = []
        repeat {
            if Task.isCancelled { throw .interrupted }
            let page = try await asked(
                try await store.droppable(tenant, retention, after: place))
            for some in page.activities.parts(of: Limits.activitiesNotedAtOnce) {
                let archives = try await asked(
                    try await store.archives(tenant, of: some.map(\.id)))
                try await noted.places(of: archives.filter { !found.contains($0) })
                found.formUnion(archives)
                try await note(some, store, tenant, files, seals)
                for few in some.parts(of: Limits.activitiesDroppedAtOnce) {
                    let dropped = try await unhurried {
                        () async throws(ArchiveError) in
                        try await asked(try await store.drop(tenant, few))
                    }
                    total.activities += dropped.activities
                    total.events += dropped.events
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
    private static func unhurried<Value>(
        _ work: () async throws(ArchiveError) -> Value
    ) async throws(ArchiveError) -> Value {
        if Task.isCancelled { throw .interrupted }
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
