import Domain

/// What is taken up, and so not sealed again, has to be sealed with the keys that there are.
extension Export {
    /// A restored database lacks the keys that were made since its backup, and once the events are
    /// dropped here, nobody can read what is personal in them. The files are left alone: the
    /// database that has the keys may still be there. What was erased since has no key either.
    func refuseOtherKeys() async throws(ArchiveError) {
        guard let seals else { return }
        for segment in manifest.segments {
            await files.beginReading(segment.file)
            var number = 0
            while true {
                if Task.isCancelled { throw .interrupted }
                var events: [RecordedEvent] = []
                for line in try await files.nextLines() {
                    number += 1
                    events.append(try EventLine.event(line, of: segment.file, number: number))
                }
                guard !events.isEmpty else { break }
                for event in try await seals.unopened(events) {
                    try await refuse(event, seals)
                }
            }
            _ = await files.finishReading()
        }
    }

    private func refuse(
        _ kept: RecordedEvent, _ seals: SubjectSeals
    ) async throws(ArchiveError) {
        guard let here = try await event(like: kept), seals.hasPersonalData(here.event) else {
            return
        }
        throw .occupied(
            "\(files.layout.place) is sealed with keys that this database does not have, such as "
                + "that of the event at position \(kept.position): it was written after the backup "
                + "from which the database was restored, or by another database. What is personal "
                + "in it cannot be read here. Move it away, or export to another place; nothing "
                + "was changed")
    }
}
