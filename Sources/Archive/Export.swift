import Domain
public import EventStore

/// Writes a tenant's log, or a part of it, as NDJSON segments with a manifest.
///
/// The log never changes, so a segment that was lost or damaged is written again byte by byte the
/// same: taking up an interrupted export needs no more than its manifest.
public struct Export {
    public struct Summary: Hashable, Codable, Sendable {
        public var tenant: String
        public var events: Int
        public var firstPosition: Int64
        public var lastPosition: Int64
        public var segments: Int
        /// Segments that an earlier run had finished.
        public var segmentsKept: Int
        /// To be noted elsewhere: it stands for the whole export.
        public var chain: String
        /// What the only activity is called in the export; nil where it has several.
        public var activity: String?
        /// What was masked in the segments that were written now; nil where nothing is redacted.
        public var redaction: RedactionTally?

        init(of manifest: Manifest, segmentsKept: Int, _ redaction: RedactionTally? = nil) {
            activity = manifest.selection.activity
            self.redaction = redaction
            tenant = manifest.tenant
            events = manifest.events
            firstPosition = manifest.firstPosition
            lastPosition = manifest.lastPosition
            segments = manifest.segments.count
            self.segmentsKept = segmentsKept
            chain = manifest.chain
        }
    }

    let log: any EventLog
    let tenant: Tenant
    private let until: Int64?
    let activity: ActivityID?
    let files: ArchiveFiles
    let redaction: Redaction?
    let seals: SubjectSeals?
    private let report: ProgressReport
    private(set) var manifest: Manifest
    private var segmentsKept = 0
    private var tally = RedactionTally()

    /// Begins an export, or takes up an interrupted one with the same selection.
    ///
    /// - Parameters:
    ///   - origin: which log it is; nil where nobody knows.
    ///   - until: the last position that is wanted; nil for the end of the log as it is now.
    ///   - redaction: makes pseudonyms of names, where the selection says so.
    ///   - seals: seals what is personal, where the selection says so.
    /// - Throws: `.finished` when there is a whole one already that lacks what came since;
    ///   `.occupied` when what is there is of another log, or sealed with other keys.
    public static func run(
        _ log: any EventLog, tenant: Tenant, origin: Manifest.Origin? = nil, selection: Selection,
        until: Int64?, to layout: Layout,
        redaction: Redaction? = nil, seals: SubjectSeals? = nil,
        report: @escaping ProgressReport
    ) async throws(ArchiveError) -> Summary {
        try await ArchiveFiles.with(layout) { (files) async throws(ArchiveError) in
            try await files.prepare()
            let activity = selection.activity.map(ActivityID.init(rawValue:))
            // The manifest goes with the export, so it has the names of that.
            var shown = selection
            if let redaction { shown.activity = activity.map { redaction.name(of: $0).rawValue } }
            let manifest = try await begin(log, tenant, origin, shown, until, files)
            var export = Export(
                log: log, tenant: tenant, until: until, activity: activity, files: files,
                redaction: redaction, seals: seals, report: report, manifest: manifest)
            return try await export.run()
        }
    }

    private static func begin(
        _ log: any EventLog, _ tenant: Tenant, _ origin: Manifest.Origin?, _ selection: Selection,
        _ until: Int64?, _ files: ArchiveFiles
    ) async throws(ArchiveError) -> Manifest {
        if let manifest = try await files.manifest() {
            guard manifest.formatVersion == Manifest.formatVersion else {
                throw .newerFormat(manifest.formatVersion)
            }
            try manifest.checkFigures()
            guard manifest.tenant == tenant.name, manifest.selection == selection else {
                let other =
                    manifest.tenant == tenant.name
                    ? "something else" : "another tenant, \(manifest.tenant)"
                throw .occupied(
                    "\(files.layout.manifestPath) belongs to an export of \(other); export to "
                        + "another place")
            }
            try refuse(manifest, unlessOf: origin, at: files.layout.place)
            return manifest
        }
        try await requireNoSegment(in: files)
        let through = try await end(of: log, tenant, until)
        let manifest = Manifest(
            tenant: tenant.name, origin: origin, selection: selection, through: through)
        try await files.write(manifest)
        return manifest
    }

    private static func end(
        of log: any EventLog, _ tenant: Tenant, _ until: Int64?
    ) async throws(ArchiveError) -> Int64 {
        min(until ?? .max, try await asked(try await log.head(tenant.id)))
    }

    /// Refuses a place that an export cannot begin in, before something is made that goes with it.
    /// - Throws: `.occupied` when anything of an export is there.
    public static func requireNothing(at layout: Layout) async throws(ArchiveError) {
        try await ArchiveFiles.with(layout) { (files) async throws(ArchiveError) in
            guard try await files.manifest() == nil else {
                throw ArchiveError.occupied(
                    "\(layout.manifestPath) exists already; export to another place")
            }
            try await requireNoSegment(in: files)
        }
    }

    private static func requireNoSegment(in files: ArchiveFiles) async throws(ArchiveError) {
        let first = files.layout.segmentName(1)
        guard try await files.exists(first) else { return }
        throw .occupied(
            "\(files.layout.path(of: first)) exists and has no manifest; export to another place")
    }

    private mutating func run() async throws(ArchiveError) -> Summary {
        try await keepWhatIsSound()
        try await refuseAnotherLog()
        try await refuseOtherKeys()
        if manifest.isComplete {
            try await refuseWhatCameSince()
        } else {
            var source = source(after: manifest.lastPosition, through: manifest.through)
            var page = try await source.next()
            while !page.isEmpty { try await writeSegment(&page, from: &source) }
            manifest.isComplete = true
            try await files.write(manifest)
        }
        return Summary(
            of: manifest, segmentsKept: segmentsKept, redaction == nil ? nil : tally)
    }

    private func source(after position: Int64, through: Int64) -> EventSource {
        EventSource(
            log, tenant.id, activity: activity,
            after: max(manifest.selection.after, position), through: through)
    }

    /// A second export to the same place is made for what is new. This one is finished, and has no
    /// place for that.
    private func refuseWhatCameSince() async throws(ArchiveError) {
        let through = try await Self.end(of: log, tenant, until)
        guard through > max(manifest.selection.after, manifest.through) else { return }
        var later = source(after: manifest.through, through: through)
        if try await !later.next().isEmpty {
            throw .finished(files.layout.place, through: manifest.through)
        }
    }

    /// A finished segment whose file is not as the manifest says is written again, and so is all
    /// after it.
    private mutating func keepWhatIsSound() async throws(ArchiveError) {
        let total = manifest.segments.reduce(0) { $0 + Int64($1.bytes) }
        var done: Int64 = 0
        var previous = Chain.start(of: manifest)
        for (index, segment) in manifest.segments.enumerated() {
            if Task.isCancelled { throw .interrupted }
            let isSound =
                try await files.contents(of: segment)
                == .init(bytes: segment.bytes, sha256: segment.sha256)
            guard isSound, Chain.value(after: previous, segment) == segment.chain else {
                manifest.cut(at: index)
                break
            }
            previous = segment.chain
            done += Int64(segment.bytes)
            report(ArchiveProgress(step: .checking, done: done, total: total))
        }
        segmentsKept = manifest.segments.count
    }

    /// - Parameter page: what was read last and is not written; none at the end of the selection.
    private mutating func writeSegment(
        _ page: inout [RecordedEvent], from source: inout EventSource
    ) async throws(ArchiveError) {
        guard let first = page.first?.position else { return }
        let files = files
        let name = files.layout.segmentName(manifest.segments.count + 1)
        try await files.beginSegment(name)
        var events = 0
        var bytes = 0
        var last = first
        while !page.isEmpty, !files.layout.isFull(events: events, bytes: bytes) {
            let written = try await sealed(redacted(page))
            // The store looks for the next page while this one is written.
            async let count = Self.append(written, to: files)
            let next = await Result { () async throws(ArchiveError) in try await source.next() }
            bytes += try await count.get()
            events += written.count
            last = written.last?.position ?? last
            report(
                ArchiveProgress(
                    step: .exporting, done: last - manifest.selection.after,
                    total: manifest.through - manifest.selection.after))
            page = try next.get()
        }
        try await Self.finish(name, events, first...last, in: files, noting: &manifest)
        try await files.write(manifest)
    }

    private func sealed(_ page: [RecordedEvent]) async throws(ArchiveError) -> [RecordedEvent] {
        guard let seals, let first = page.first, let last = page.last else { return page }
        return try await seals.sealed(page) { () async throws(ArchiveError) in
            var again = EventSource(
                log, tenant.id, activity: activity, after: first.position - 1,
                through: last.position)
            var events: [RecordedEvent] = []
            while events.count < page.count {
                let more = try await again.next()
                guard !more.isEmpty else { break }
                events += more
            }
            return events
        }
    }

    private mutating func redacted(_ page: [RecordedEvent]) -> [RecordedEvent] {
        guard let redaction else { return page }
        return page.map { redaction.redacted($0, &tally) }
    }

    static func finish(
        _ name: String, _ events: Int, _ positions: ClosedRange<Int64>, in files: ArchiveFiles,
        noting manifest: inout Manifest
    ) async throws(ArchiveError) {
        let contents = try await files.finishSegment()
        manifest.append(
            Manifest.Segment(
                file: name, events: events, firstPosition: positions.lowerBound,
                lastPosition: positions.upperBound, bytes: contents.bytes,
                sha256: contents.sha256))
    }

    static func append(
        _ events: [RecordedEvent], to files: ArchiveFiles
    ) async -> Result<Int, ArchiveError> {
        var lines: [UInt8] = []
        lines.reserveCapacity(events.count * Limits.usualLineBytes)
        for event in events { EventLine.append(event, to: &lines) }
        do throws(ArchiveError) { try await files.append(lines) } catch { return .failure(error) }
        return .success(lines.count)
    }
}
