import Domain
public import EventStore

extension Manifest.Origin {
    /// Nil where the store does not know.
    public static func of(
        _ tenant: Tenant, in store: any TenantStore
    ) async throws(ArchiveError) -> Manifest.Origin? {
        let createdAt = try await asked(try await store.createdAt(tenant.id))
        return createdAt.map { Manifest.Origin(tenant: tenant.id, createdAt: $0) }
    }
}

/// What is taken up, and so not written again, has to be of this log.
extension Export {
    static func refuse(
        _ manifest: Manifest, unlessOf origin: Manifest.Origin?, at place: String
    ) throws(ArchiveError) {
        guard let origin, let other = manifest.origin, other != origin else { return }
        throw .occupied(
            "\(place) has the log of another tenant, which was called \(manifest.tenant) too and "
                + "was made at \(other.createdAt.rfc3339); export to another place")
    }

    /// Looks at the last event that is kept, because not every manifest says where it is from, and
    /// because a log that was restored may have gone another way since.
    func refuseAnotherLog() async throws(ArchiveError) {
        guard let segment = manifest.segments.last, let kept = try await lastEvent(of: segment)
        else { return }
        let here = try await event(like: kept)
        guard let here, Self.isSame(kept, here) else {
            throw .occupied(
                "\(files.layout.place) has another log of a tenant called \(manifest.tenant): "
                    + "its event at position \(kept.position) is not the one that is there now; "
                    + "export to another place")
        }
    }

    private func lastEvent(
        of segment: Manifest.Segment
    ) async throws(ArchiveError) -> RecordedEvent? {
        await files.beginReading(segment.file)
        var last: [UInt8]?
        while let line = try await files.nextLines().last {
            if Task.isCancelled { throw .interrupted }
            last = line
        }
        _ = await files.finishReading()
        guard let last else { return nil }
        return try EventLine.event(last, of: segment.file, number: segment.events)
    }

    /// The one that stands in the log where it stands in the export, as the export would have it.
    func event(like kept: RecordedEvent) async throws(ArchiveError) -> RecordedEvent? {
        let events: [RecordedEvent]
        if let activity {
            events = try await asked(
                try await log.readActivity(tenant.id, activity, kept.version - 1, 1))
        } else {
            events = try await asked(try await log.read(tenant.id, kept.position - 1, 1))
        }
        guard let redaction else { return events.first }
        var tally = RedactionTally()
        return events.first.map { redaction.redacted($0, &tally) }
    }

    /// Not by their data, from which an erasure may have taken something.
    private static func isSame(_ kept: RecordedEvent, _ here: RecordedEvent) -> Bool {
        kept.position == here.position && kept.version == here.version
            && kept.recordedAt == here.recordedAt && kept.event.id == here.event.id
            && kept.event.source == here.event.source
            && kept.event.activityID == here.event.activityID
    }
}
