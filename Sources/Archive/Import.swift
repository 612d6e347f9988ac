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
        /// Activities that begin in the export, and whose events follow others of that name here.
        public var joined = 0
        /// Name of the first of them.
        public var firstJoined: String?
        /// Activities that go on in the export, and of which no earlier event is here.
        public var withoutBeginning = 0
        /// Name of the first of them.
        public var firstWithoutBeginning: String?
        /// Values of the export that are sealed and that no key here opens: they are recorded as
        /// erased.
        public var unopened: Int
        public var chain: String
    }

    private let door: EventImport
    private let tenant: Tenant
    private let now: Moment
    /// Open what an archive has sealed, if it was sealed for this tenant.
    private let seals: SubjectSeals?
    private let report: ProgressReport
    private var lines: ArchiveLines
    private var summary: Summary

    /// - Parameters:
    ///   - tenant: asked for once the export has been found sound; whose log receives the events.
    ///   - chain: the last chain value, where someone has noted it.
    ///   - now: by this machine's clock.
    ///   - seals: opens what is sealed; what cannot be opened is recorded as erased.
    public static func run(
        from layout: Layout, chain: String?, now: Moment, into door: EventImport,
        tenant: @Sendable () async throws(EventStoreError) -> Tenant,
        seals: @Sendable (TenantID) -> SubjectSeals? = { _ in nil },
        report: @escaping ProgressReport
    ) async throws(ArchiveError) -> Summary {
        let lines: ArchiveLines
        do throws(ArchiveError) {
            lines = try await ArchiveLines.open(layout, chain: chain, report: report)
        } catch {
            guard case .damaged(let file, let reason) = error else { throw error }
            throw .damaged(file: file, "\(reason); nothing of it was imported")
        }
        let result = await Result { () async throws(ArchiveError) -> Summary in
            let owner = try await asked(try await tenant())
            var run = Import(
                door: door, tenant: owner, now: now, seals: seals(owner.id), report: report,
                lines: lines,
                summary: Summary(
                    tenant: owner.name, events: lines.manifest.events, recorded: 0,
                    alreadyKnown: 0, keepsPositions: true, unopened: 0,
                    chain: lines.manifest.chain))
            return try await run.recordAll()
        }
        await lines.close()
        return try result.get()
    }

    private mutating func recordAll() async throws(ArchiveError) -> Summary {
        let (door, owner) = (door, tenant.id)
        var events = try await nextBatch()
        while !events.isEmpty {
            let batch = events
            // The store is at work for most of the time, so the next lines are read meanwhile.
            async let recorded = Self.record(batch, of: owner, through: door)
            let next = await Result { () async throws(ArchiveError) in try await nextBatch() }
            for (event, appended) in zip(batch, try await recorded.get()) {
                try count(event, appended)
            }
            report(
                ArchiveProgress(
                    step: .importing, done: Int64(summary.recorded + summary.alreadyKnown),
                    total: Int64(lines.manifest.events)))
            // What comes before an error is recorded.
            events = try next.get()
        }
        return summary
    }

    private mutating func nextBatch() async throws(ArchiveError) -> [RecordedEvent] {
        let events = try await lines.next()
        for event in events where event.recordedAt > now {
            throw .fromTheFuture(position: event.position)
        }
        let batch = try await opened(events)
        // Before it is in a log for good. What only reads an export need not look.
        for event in batch {
            if let reason = event.unfitness {
                throw .unfit(position: event.position, reason)
            }
        }
        return batch
    }

    private mutating func opened(
        _ events: [RecordedEvent]
    ) async throws(ArchiveError) -> [RecordedEvent] {
        guard lines.manifest.selection.isSealed == true else { return events }
        let opened =
            try await seals?.opened(events)
            ?? RecordedEvent.opened(events, orElse: PersonalData.erasedPrefix) { _ in nil }
        summary.unopened += opened.unopened
        return opened.events
    }

    /// - Returns: the results up to the end or to the part that has a conflict.
    private static func record(
        _ events: [RecordedEvent], of tenant: TenantID, through door: EventImport
    ) async -> Result<[AppendResult], ArchiveError> {
        do throws(EventStoreError) {
            var results: [AppendResult] = []
            for part in parts(of: events) {
                let recorded = try await door.record(
                    tenant, part.map { ImportedEvent(recordedAt: $0.recordedAt, event: $0.event) })
                results += recorded
                if recorded.contains(where: \.isRefused) { break }
            }
            return .success(results)
        } catch { return .failure(.store(error)) }
    }

    /// Cut before an event with an `id` and `source` that have come: the door looks for what is
    /// known before it records anything.
    private static func parts(of events: [RecordedEvent]) -> [ArraySlice<RecordedEvent>] {
        var parts: [ArraySlice<RecordedEvent>] = []
        var start = 0
        var names: Set<[ByteKey]> = []
        for (index, line) in events.enumerated() {
            let name = [ByteKey(line.event.source), ByteKey(line.event.id)]
            guard !names.insert(name).inserted else { continue }
            parts.append(events[start..<index])
            (start, names) = (index, [name])
        }
        parts.append(events[start...])
        return parts
    }

    private mutating func count(
        _ event: RecordedEvent, _ result: AppendResult
    ) throws(ArchiveError) {
        switch result {
        case .recorded(let position, let version):
            summary.recorded += 1
            keep(event, position, version)
        case .alreadyKnown(let position, let version):
            summary.alreadyKnown += 1
            keep(event, position, version)
        case .contentConflict(let here):
            guard event.event.source.hasBytes(of: ActivityClock.source) else {
                throw .conflict(position: event.position, here: here)
            }
            throw .clockConflict(
                activity: event.event.activityID.rawValue, position: event.position, here: here)
        // Another event of the same batch is the one that conflicts.
        case .notRecorded: break
        case .batchConflict: throw .conflict(position: event.position, here: 0)
        case .versionConflict: preconditionFailure("an import expects no versions")
        }
    }

    private mutating func keep(_ event: RecordedEvent, _ position: Int64, _ version: Int64) {
        if (position, version) != (event.position, event.version) {
            summary.keepsPositions = false
        }
        if event.version == 1, version > 1 {
            summary.joined += 1
            summary.firstJoined = summary.firstJoined ?? event.event.activityID.rawValue
        }
        if event.version > 1, version == 1 {
            summary.withoutBeginning += 1
            summary.firstWithoutBeginning =
                summary.firstWithoutBeginning ?? event.event.activityID.rawValue
        }
    }
}

extension AppendResult {
    fileprivate var isRefused: Bool {
        switch self {
        case .recorded, .alreadyKnown: false
        case .contentConflict, .batchConflict, .versionConflict, .notRecorded: true
        }
    }
}
