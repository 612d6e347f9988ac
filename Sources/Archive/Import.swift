public import Domain
public import EventStore

/// Records an export in a tenant's log. Doing it again is harmless: what is known is left alone.
///
/// Every file is checked against the manifest before the first event is recorded, and again while
/// it is read.
public struct Import {
    public struct Summary: Hashable, Codable, Sendable {
        public var tenant: String
        /// In the export.
        public var events: Int
        public var recorded: Int
        /// Were in the log already.
        public var alreadyKnown: Int
        /// True when every event has the position and version here that it has in the export.
        public var keepsPositions: Bool
        public var chain: String
    }

    private let door: EventImport
    private let tenant: Tenant
    private let files: ArchiveFiles
    private let now: Moment
    private let report: ProgressReport
    private let manifest: Manifest
    private var order: LineOrder
    private var summary: Summary

    /// - Parameters:
    ///   - tenant: asked for once the export has been found sound; whose log receives the events.
    ///   - chain: the last chain value, where someone has noted it.
    ///   - now: by this machine's clock.
    public static func run(
        from layout: Layout, chain: String?, now: Moment, into door: EventImport,
        tenant: @Sendable () async throws(EventStoreError) -> Tenant,
        report: @escaping ProgressReport
    ) async throws(ArchiveError) -> Summary {
        let files = ArchiveFiles(layout)
        let result: Result<Summary, ArchiveError>
        do throws(ArchiveError) {
            guard let manifest = try await files.manifest() else {
                throw .noManifest(layout.manifestPath)
            }
            try manifest.check(chain: chain)
            try await check(manifest, files, report)
            let owner: Tenant
            do throws(EventStoreError) { owner = try await tenant() } catch { throw .store(error) }
            var run = Import(door, owner, files, now, report, manifest)
            result = .success(try await run.recordAll())
        } catch { result = .failure(error) }
        await files.close()
        return try result.get()
    }

    private init(
        _ door: EventImport, _ tenant: Tenant, _ files: ArchiveFiles, _ now: Moment,
        _ report: @escaping ProgressReport, _ manifest: Manifest
    ) {
        self.door = door
        self.tenant = tenant
        self.files = files
        self.now = now
        self.report = report
        self.manifest = manifest
        order = LineOrder(manifest.selection)
        summary = Summary(
            tenant: tenant.name, events: manifest.events, recorded: 0, alreadyKnown: 0,
            keepsPositions: true, chain: manifest.chain)
    }

    private static func check(
        _ manifest: Manifest, _ files: ArchiveFiles, _ report: ProgressReport
    ) async throws(ArchiveError) {
        let total = manifest.segments.reduce(0) { $0 + Int64(clamping: $1.bytes) }
        var done: Int64 = 0
        for segment in manifest.segments {
            try Interruption.check()
            guard await files.exists(segment.file) else {
                throw .damaged(file: segment.file, "it is missing")
            }
            try await compare(segment, files.contents(of: segment.file))
            done += Int64(segment.bytes)
            report(ArchiveProgress(step: .checking, done: done, total: total))
        }
    }

    private static func compare(
        _ segment: Manifest.Segment, _ contents: ArchiveFiles.Contents
    ) throws(ArchiveError) {
        if contents.bytes != segment.bytes {
            throw .damaged(
                file: segment.file,
                "it has \(contents.bytes) bytes, the manifest says \(segment.bytes)")
        }
        if contents.sha256 != segment.sha256 {
            throw .damaged(file: segment.file, "its SHA-256 is not the one in the manifest")
        }
    }

    private mutating func recordAll() async throws(ArchiveError) -> Summary {
        let (door, owner) = (door, tenant.id)
        var rest = manifest.segments[...]
        var events = try await nextBatch(&rest)
        while !events.isEmpty {
            let batch = events
            // The store is at work for most of the time, so the next lines are read meanwhile.
            async let recorded = Self.record(batch, of: owner, through: door)
            let next: Result<[EventLine], ArchiveError>
            do throws(ArchiveError) { next = .success(try await nextBatch(&rest)) } catch {
                next = .failure(error)
            }
            for (event, outcome) in zip(batch, try await recorded.get()) {
                try count(event, outcome)
            }
            report(
                ArchiveProgress(
                    step: .importing, done: Int64(summary.recorded + summary.alreadyKnown),
                    total: Int64(manifest.events)))
            // What comes before a fault is recorded.
            events = try next.get()
        }
        return summary
    }

    /// - Parameter rest: segments that have not been read to their end.
    /// - Returns: none at the end.
    private mutating func nextBatch(
        _ rest: inout ArraySlice<Manifest.Segment>
    ) async throws(ArchiveError) -> [EventLine] {
        while let segment = rest.first {
            try Interruption.check()
            if await !files.isReading {
                try await files.beginReading(segment.file)
                order.begin(segment)
            }
            let lines = try await files.nextLines()
            guard lines.isEmpty else { return try events(in: lines) }
            try order.end()
            try await Self.compare(segment, files.finishReading())
            rest.removeFirst()
        }
        return []
    }

    private mutating func events(in lines: [[UInt8]]) throws(ArchiveError) -> [EventLine] {
        var events: [EventLine] = []
        events.reserveCapacity(lines.count)
        for line in lines {
            let event = try order.take(line)
            guard event.recordedAt <= now else {
                throw .fromTheFuture(position: event.position)
            }
            events.append(event)
        }
        return events
    }

    private static func record(
        _ events: [EventLine], of tenant: TenantID, through door: EventImport
    ) async -> Result<[AppendOutcome], ArchiveError> {
        do throws(EventStoreError) {
            return .success(
                try await door.record(
                    tenant,
                    events.map { ImportedEvent(recordedAt: $0.recordedAt, event: $0.event) }))
        } catch { return .failure(.store(error)) }
    }

    private mutating func count(
        _ event: EventLine, _ outcome: AppendOutcome
    ) throws(ArchiveError) {
        switch outcome {
        case .recorded(let position, let version):
            summary.recorded += 1
            keep(event, position, version)
        case .alreadyKnown(let position, let version):
            summary.alreadyKnown += 1
            keep(event, position, version)
        case .contentConflict(let here): throw .conflict(position: event.position, here: here)
        // Another event of the same batch is the one that conflicts.
        case .notRecorded: break
        case .versionConflict: preconditionFailure("an import expects no versions")
        }
    }

    private mutating func keep(_ event: EventLine, _ position: Int64, _ version: Int64) {
        if (position, version) != (event.position, event.version) {
            summary.keepsPositions = false
        }
    }
}
