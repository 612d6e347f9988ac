import Domain

/// Looks whether positions are dense and times of recording never run backwards.
actor LogOrder {
    private(set) var defects = DefectList()
    private(set) var events = 0
    /// Of the last event.
    private(set) var position: Int64
    private var recordedAt: Moment?
    /// Events of others are left out between those of one activity.
    private let isDense: Bool
    /// Up to `through` so many events may be gone: they are archived.
    private let archived: History.Archived
    private var gapsArchived: Int64 = 0

    init(after position: Int64, isDense: Bool, archived: History.Archived = .nothing) {
        self.position = position
        self.isDense = isDense
        self.archived = archived
    }

    func take(_ page: HistoryPage) {
        for index in page.indices {
            let place = page.place(index)
            noteArchived(before: place.position)
            if isDense, place.position != position + 1 {
                defects.add(
                    Defect(
                        kind: .positionHole, position: position + 1,
                        detail: "positions \(position + 1) to \(place.position - 1) are missing: "
                            + "events were lost; restore them from a backup"))
            }
            if let recordedAt, place.recordedAt < recordedAt {
                defects.add(
                    Defect(
                        kind: .timeRunsBackwards, position: place.position,
                        detail: "it was recorded at \(place.recordedAt.rfc3339), before the event "
                            + "in front of it: the log was altered; restore it from a backup"))
            }
            (position, recordedAt) = (place.position, place.recordedAt)
            events += 1
        }
    }

    /// Passes by what may be gone.
    private func noteArchived(before place: Int64) {
        let last = min(place - 1, archived.through)
        guard last > position else { return }
        gapsArchived += last - position
        position = last
    }

    /// A log that lost its end is dense: only what stands elsewhere gives it away.
    func end(checkpoint: Int64, head: Int64) {
        noteArchived(before: head + 1)
        if gapsArchived != archived.dropped {
            defects.add(
                Defect(
                    kind: .positionHole, position: archived.through,
                    detail: "\(gapsArchived) of the archived events up to \(archived.through) are "
                        + "not there, and \(archived.dropped) were dropped: events were lost; "
                        + "restore them from a backup"))
        }
        if head > position {
            defects.add(
                Defect(
                    kind: .positionHole, position: position + 1,
                    detail: "positions \(position + 1) to \(head) are missing at the end: events "
                        + "were lost; restore them from a backup"))
        }
        if checkpoint > position {
            defects.add(
                Defect(
                    kind: .checkpointPastHead, position: checkpoint,
                    detail: "the checkpoint is at \(checkpoint), the log ends at \(position): the "
                        + "end of the log was lost; restore it from a backup"))
        }
    }
}
