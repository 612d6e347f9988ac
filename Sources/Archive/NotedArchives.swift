import Domain
import EventStore

/// The archives that are noted of a log, and where their files can be read now.
struct NotedArchives {
    /// What they are looked for.
    enum Purpose {
        /// All of the log goes: what is still in it is wanted below the root, and each byte counts.
        case removal
        /// Some activities go, each night others. Every byte was read when the files were written,
        /// so from then on their sizes say whether they are there.
        case dropping
    }

    let store: EventStore
    let tenant: Tenant
    let root: Layout
    let origin: Manifest.Origin?
    let purpose: Purpose
    let open: @Sendable (String) throws(ArchiveError) -> Layout
    /// Called with each archive that is written again and noted; in a removal none is noted.
    var wroteAgain: @Sendable (LogArchive) -> Void = { _ in }
    let report: ProgressReport

    /// - Throws: `.outOfReach` or `.unreadable` when files cannot be read and written again.
    @discardableResult
    func places(of archives: [LogArchive]) async throws(ArchiveError) -> [String] {
        var places: [String] = []
        var missing: [String] = []
        for archive in archives {
            switch try await place(of: archive) {
            case .success(let place): places.append(place)
            case .failure(let error): missing.append("\(archive.place) (\(error))")
            }
        }
        guard missing.isEmpty else {
            throw purpose == .removal ? .outOfReach(missing) : .unreadable(missing)
        }
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
        if purpose == .dropping, case .success(let place) = try await whereItWasPut(archive) {
            return .success(place)
        }
        if try await isInLog(archive) { return .success(try await write(archive).place) }
        // An earlier removal, which was interrupted, has written it.
        if case .success(let manifest) = found, isOfThisLog(manifest, archive) {
            return .success(copy.notedPlace)
        }
        return try await whereItWasPut(archive)
    }

    private func write(_ archive: LogArchive) async throws(ArchiveError) -> LogArchive {
        let again = try await Archiving.write(
            store, tenant, after: archive.after, through: archive.through, in: root,
            report: report)
        if purpose == .dropping {
            try await asked(try await store.retention.noteAgain(again, of: tenant.id))
            wroteAgain(again)
        }
        return again
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
            switch purpose {
            case .removal:
                return .success(try await Archiving.manifest(in: layout, report: report))
            case .dropping: return .success(try await Self.manifestOfSizes(in: layout))
            }
        } catch {
            if error == .interrupted { throw error }
            return .failure(error)
        }
    }

    /// Of files that have as many bytes as it says.
    private static func manifestOfSizes(
        in layout: Layout
    ) async throws(ArchiveError) -> Manifest {
        try await ArchiveFiles.with(layout) { (files) async throws(ArchiveError) in
            guard let manifest = try await files.manifest() else {
                throw .noManifest(layout.manifestPath)
            }
            try manifest.check()
            for segment in try layout.segments(of: manifest) {
                if Task.isCancelled { throw .interrupted }
                try await files.checkSize(of: segment)
            }
            return manifest
        }
    }
}
