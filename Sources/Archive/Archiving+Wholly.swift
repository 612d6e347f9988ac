public import Domain
public import EventStore

extension Archiving {
    /// Sees to it that a whole log is in sound files before it is removed. What was archived
    /// earlier counts as far as it can be read now.
    /// - Parameters:
    ///   - types: of events, which say what is personal and has to be sealed.
    ///   - root: everything that is still in the log is below it afterwards.
    ///   - open: gives the place that was noted of an earlier archive.
    ///   - close: lets nothing more be reported. Called when all that there is by then is safe, so
    ///     that a refusal leaves the tenant as it was.
    /// - Returns: where the log is, in order of positions; nowhere if it has no events.
    /// - Throws: `.outOfReach` when files cannot be read whose events are no longer in the log.
    public static func runWholly(
        _ store: EventStore, _ tenant: Tenant, _ types: [EventType], in root: Layout,
        open: @escaping @Sendable (String) throws(ArchiveError) -> Layout,
        closing close: () async throws(ArchiveError) -> Void, report: @escaping ProgressReport
    ) async throws(ArchiveError) -> [String] {
        let log = RemovedLog(
            store: store, tenant: tenant, types: types, root: root,
            origin: try await Manifest.Origin.of(tenant, in: store.tenants), open: open,
            report: report)
        let earlier = try await asked(try await store.retention.archives(tenant.id))
        var places = try await log.places(of: earlier)
        func runToHead() async throws(ArchiveError) -> LogArchive? {
            let head = try await asked(try await store.log.head(tenant.id))
            return try await run(store, tenant, types, through: head, in: root, report: report)
        }
        // A place that takes nothing refuses before anything is changed.
        let first = try await runToHead()
        try await close()
        let last = try await runToHead()
        let mine = [first, last].compactMap(\.self)
        // Another run may have archived something meanwhile, and dropped it.
        let all = try await asked(try await store.retention.archives(tenant.id))
        places += try await log.places(
            of: all.filter { !earlier.contains($0) && !mine.contains($0) })
        return places + mine.map(\.place)
    }
}

/// What is known of a log that is to be removed, and where its archives are.
private struct RemovedLog {
    let store: EventStore
    let tenant: Tenant
    let types: [EventType]
    let root: Layout
    let origin: Manifest.Origin?
    let open: @Sendable (String) throws(ArchiveError) -> Layout
    let report: ProgressReport

    func places(of archives: [LogArchive]) async throws(ArchiveError) -> [String] {
        var places: [String] = []
        var missing: [String] = []
        for archive in archives {
            switch try await place(of: archive) {
            case .success(let place): places.append(place)
            case .failure(let error): missing.append("\(archive.place) (\(error))")
            }
        }
        guard missing.isEmpty else { throw .outOfReach(missing) }
        return places
    }

    /// Below the root wherever that is possible, else where it was put.
    private func place(
        of archive: LogArchive
    ) async throws(ArchiveError) -> Result<String, ArchiveError> {
        let copy = Archiving.place(after: archive.after, through: archive.through, in: root)
        let found = try await manifest(in: copy)
        if case .success(let manifest) = found, manifest.chain == archive.chain {
            return .success(copy.notedPlace)
        }
        if try await isInLog(archive) {
            let again = try await Archiving.write(
                store, tenant, types, after: archive.after, through: archive.through, in: root,
                report: report)
            return .success(again.place)
        }
        // An earlier removal, which was interrupted, has written it.
        if case .success(let manifest) = found, isOfThisLog(manifest, archive) {
            return .success(copy.notedPlace)
        }
        return try await whereItWasPut(archive)
    }

    private func isOfThisLog(_ manifest: Manifest, _ archive: LogArchive) -> Bool {
        origin != nil && manifest.origin == origin && manifest.tenant == tenant.name
            && manifest.selection
                == Archiving.selection(after: archive.after, through: archive.through)
            && manifest.lastPosition == archive.through
    }

    private func whereItWasPut(
        _ archive: LogArchive
    ) async throws(ArchiveError) -> Result<String, ArchiveError> {
        let layout: Layout
        do throws(ArchiveError) { layout = try open(archive.place) } catch {
            return .failure(error)
        }
        return try await manifest(in: layout).flatMap { manifest in
            manifest.chain == archive.chain
                ? .success(archive.place)
                : .failure(.occupied("its chain value is not \(archive.chain), as was noted"))
        }
    }

    /// Whether no event of it has gone.
    private func isInLog(_ archive: LogArchive) async throws(ArchiveError) -> Bool {
        var source = EventSource(
            store.log, tenant.id, activity: nil, after: archive.after, through: archive.through)
        do throws(ArchiveError) {
            while try await !source.next().isEmpty {}
            return true
        } catch {
            if case .hole = error { return false }
            throw error
        }
    }

    /// - Returns: why not, where the files are not sound.
    private func manifest(
        in layout: Layout
    ) async throws(ArchiveError) -> Result<Manifest, ArchiveError> {
        do throws(ArchiveError) {
            return .success(try await Archiving.manifest(in: layout, report: report))
        } catch {
            if error == .interrupted { throw error }
            return .failure(error)
        }
    }
}
