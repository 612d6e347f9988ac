import Domain
public import EventStore

extension Archiving {
    /// Removes a tenant when its whole log is in sound files. What was archived earlier counts as
    /// far as it can be read now.
    /// - Parameters:
    ///   - root: everything that is still in the log is below it afterwards.
    ///   - open: gives the place that was noted of an earlier archive.
    ///   - close: lets nobody report any more. Called when all that there is by then is safe, so
    ///     that a refusal leaves the tenant as it was.
    ///   - remove: is refused by the store while the log has events that are not archived. Islet's
    ///     clock still reports what is due, so it is tried again with what came meanwhile.
    /// - Returns: where the log is, in order of positions; nowhere if it has no events.
    /// - Throws: `.outOfReach` when files cannot be read whose events are no longer in the log,
    ///   `.overtaken` when something was reported before each try to remove the tenant.
    public static func runWholly(
        _ store: EventStore, _ tenant: Tenant, in root: Layout,
        open: @escaping @Sendable (String) throws(ArchiveError) -> Layout,
        closing close: () async throws(ArchiveError) -> Void,
        removing remove: () async throws(ArchiveError) -> Void, report: @escaping ProgressReport
    ) async throws(ArchiveError) -> [String] {
        let noted = NotedArchives(
            store: store, tenant: tenant, root: root,
            origin: try await Manifest.Origin.of(tenant, in: store.tenants), purpose: .removal,
            open: open, report: report)
        let earlier = try await asked(try await store.retention.archives(tenant.id))
        var places = try await noted.places(of: earlier)
        func runToHead() async throws(ArchiveError) -> LogArchive? {
            let head = try await asked(try await store.log.head(tenant.id))
            return try await run(store, tenant, through: head, in: root, report: report)
        }
        // A place that takes nothing refuses before anything is changed.
        let first = try await runToHead()
        try await close()
        let last = try await runToHead()
        let mine = [first, last].compactMap(\.self)
        // Another run may have archived something meanwhile, and dropped it.
        let all = try await asked(try await store.retention.archives(tenant.id))
        places += try await noted.places(
            of: all.filter { !earlier.contains($0) && !mine.contains($0) })
        places += mine.map(\.place)
        for _ in 1...Limits.removalsMax {
            do throws(ArchiveError) {
                try await remove()
                return places
            } catch {
                guard case .store(.failed) = error, let more = try await runToHead() else {
                    throw error
                }
                places.append(more.place)
            }
        }
        throw .overtaken(tenant: tenant.name)
    }
}
