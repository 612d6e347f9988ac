import Domain
import EventStore

/// Looks whether positions are dense and times of recording never run backwards.
actor LogOrder {
    private(set) var defects = DefectList()
    private(set) var events = 0
    /// Position of the last event.
    private(set) var position: Int64
    private var recordedAt: Moment?
    /// Events of others are left out between those of one activity.
    private let isDense: Bool
    /// Up to `through` events may be gone: they are archived. `dropped` is of before the walk.
    private var archived: History.Archived
    private var gapsArchived: Int64 = 0
    /// Nil for an export, of which nothing is dropped.
    private let database: History.Database?

    init(
        after position: Int64, isDense: Bool, archived: History.Archived = .nothing,
        database: History.Database? = nil
    ) {
        self.position = position
        self.isDense = isDense
        self.archived = archived
        self.database = database
    }

    /// The order of a whole log, or of one activity's part of it.
    static func of(_ history: History) async throws(ReplayError) -> LogOrder {
        LogOrder(
            after: history.after, isDense: history.onlyActivity == nil,
            archived: try await history.database?.archived() ?? .nothing,
            database: history.database)
    }

    func take(_ page: HistoryPage) async throws(ReplayError) {
        if let last = page.indices.last,
            page.place(last).position - position > Int64(page.indices.count)
        {
            try await lookHowFarIsArchived()
        }
        for index in page.indices {
            let place = page.place(index)
            noteArchived(before: place.position)
            if isDense, place.position != position + 1 {
                add(
                    .positionHole, position + 1,
                    "positions \(position + 1) to \(place.position - 1) are missing: events were "
                        + "lost; restore them from a backup")
            }
            if let recordedAt, place.recordedAt < recordedAt {
                add(
                    .timeRunsBackwards, place.position,
                    "it was recorded at \(place.recordedAt.rfc3339), before the event in front of "
                        + "it: the log was altered; restore it from a backup")
            }
            (position, recordedAt) = (place.position, place.recordedAt)
            events += 1
        }
    }

    /// For a gap: what was archived since the last look may be gone as well.
    private func lookHowFarIsArchived() async throws(ReplayError) {
        if let database { archived.through = try await database.archived().through }
    }

    /// Passes by what may be gone.
    private func noteArchived(before place: Int64) {
        let last = min(place - 1, archived.through)
        guard last > position else { return }
        gapsArchived += last - position
        position = last
    }

    /// A log that lost its end is dense: only what stands elsewhere gives it away.
    func end(checkpoint: Int64, head: Int64) async throws(ReplayError) {
        if head > position { try await lookHowFarIsArchived() }
        noteArchived(before: head + 1)
        var gaps: ArchivedGaps = (archived.through, gapsArchived, archived.dropped)
        // What is dropped during the walk is missing on some pages only, and counted elsewhere.
        if gaps.missing != gaps.dropped, let database {
            gaps = try await asked(try await database.store.replays.gaps(database.tenant))
        }
        if gaps.missing != gaps.dropped {
            add(
                .positionHole, gaps.through,
                "\(gaps.missing) of the archived events up to \(gaps.through) are not there, and "
                    + "\(gaps.dropped) were dropped: events were lost; restore them from a backup")
        }
        if head > position {
            add(
                .positionHole, position + 1,
                "positions \(position + 1) to \(head) are missing at the end: events were lost; "
                    + "restore them from a backup")
        }
        if checkpoint > position {
            add(
                .checkpointPastHead, checkpoint,
                "the checkpoint is at \(checkpoint), the log ends at \(position): the end of the "
                    + "log was lost; restore it from a backup")
        }
    }

    private func add(_ kind: Defect.Kind, _ position: Int64, _ detail: String) {
        defects.add(Defect(kind: kind, position: position, detail: detail))
    }
}
