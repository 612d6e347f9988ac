import Domain
public import EventStore

/// Writes what is new of a log up to a position into files, checks them, and notes that it is
/// archived. From then on the store lets go of what has ended.
public enum Archiving {
    /// Does what `body` does with a tenant's archives while no other process works on them: two
    /// that write the same files spoil each other's.
    /// - Throws: `.busy`.
    public static func alone<Answer: Sendable>(
        _ store: EventStore, _ tenant: Tenant,
        _ body: () async throws(ArchiveError) -> Answer
    ) async throws(ArchiveError) -> Answer {
        let result = try await asked(
            try await store.retention.alone(tenant.id) {
                await Result { () async throws(ArchiveError) in try await body() }
            })
        guard let result else { throw .busy(tenant: tenant.name) }
        return try result.get()
    }

    /// - Parameters:
    ///   - root: directory of the tenant's archives; each run makes another one in it.
    ///   - through: the last position that is wanted.
    /// - Returns: nil when there is nothing new.
    public static func run(
        _ store: EventStore, _ tenant: Tenant, through: Int64, in root: Layout,
        report: @escaping ProgressReport
    ) async throws(ArchiveError) -> LogArchive? {
        let known = try await asked(try await store.retention.archives(tenant.id))
        let after = known.last?.through ?? 0
        guard through > after else { return nil }
        let archive = try await write(
            store, tenant, after: after, through: through, in: root, report: report)
        do throws(EventStoreError) {
            try await store.retention.note(archive, of: tenant.id)
            guard try await store.retention.archives(tenant.id).last == archive else {
                throw .unavailable(detail: "another archive was made meanwhile; run it again")
            }
        } catch { throw .store(error) }
        return archive
    }

    /// Writes a part of the log into its directory below the root, or completes what is there.
    static func write(
        _ store: EventStore, _ tenant: Tenant, after: Int64, through: Int64, in root: Layout,
        report: @escaping ProgressReport
    ) async throws(ArchiveError) -> LogArchive {
        let layout = place(after: after, through: through, in: root)
        let summary = try await Export.run(
            store.log, tenant: tenant,
            origin: try await Manifest.Origin.of(tenant, in: store.tenants),
            selection: selection(after: after, through: through), until: through,
            to: layout, seals: SubjectSeals(store.erasure, of: tenant.id), report: report)
        // What is dropped is nowhere else: the files are read once more, as an import would.
        let manifest = try await manifest(in: layout, report: report)
        guard manifest.isComplete, manifest.chain == summary.chain,
            manifest.lastPosition == through, manifest.events == Int(through - after)
        else {
            throw .damaged(file: layout.manifestPath, "it is not what was written a moment ago")
        }
        return LogArchive(
            after: after, through: through, place: layout.notedPlace, chain: summary.chain)
    }

    static func place(after: Int64, through: Int64, in root: Layout) -> Layout {
        root.inside("events-\(after + 1)-\(through)")
    }

    static func selection(after: Int64, through: Int64) -> Selection {
        Selection(after: after, until: "\(through)", activity: nil, isSealed: true)
    }

    /// Of files that are all as it says.
    static func manifest(
        in layout: Layout, report: @escaping ProgressReport
    ) async throws(ArchiveError) -> Manifest {
        let reader = try await ArchiveReader.open(layout, report: report)
        await reader.close()
        return reader.manifest
    }
}
