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

    init(after position: Int64, isDense: Bool) {
        self.position = position
        self.isDense = isDense
    }

    func take(_ page: HistoryPage) {
        for index in page.indices {
            let place = page.place(index)
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

    /// A log that lost its end is dense: only what stands elsewhere gives it away.
    func end(checkpoint: Int64, head: Int64) {
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
