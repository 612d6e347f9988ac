import Domain

/// Takes the lines of an export one after the other and refuses one that does not belong there.
struct LineOrder {
    private let activity: String?
    private var position: Int64
    private var recordedAt: Moment?
    /// Of the one activity that was exported. Of all there may be millions.
    private var version: Int64?
    private var segment: Manifest.Segment?
    private var linesTaken = 0

    init(_ selection: Selection, after position: Int64? = nil) {
        activity = selection.activity
        self.position = position ?? selection.after
    }

    mutating func begin(_ segment: Manifest.Segment) {
        self.segment = segment
        linesTaken = 0
    }

    mutating func take(_ line: [UInt8]) throws(ArchiveError) -> RecordedEvent {
        guard let segment else { preconditionFailure("no segment was begun") }
        linesTaken += 1
        let event = try EventLine.event(line, of: segment.file, number: linesTaken)
        if let reason = complaint(about: event, in: segment) {
            throw .line(file: segment.file, number: linesTaken, reason)
        }
        position = event.position
        recordedAt = event.recordedAt
        version = event.version
        return event
    }

    func end() throws(ArchiveError) {
        guard let segment else { return }
        guard linesTaken == segment.events, position == segment.lastPosition else {
            throw .damaged(
                file: segment.file,
                "it has \(linesTaken.counted("event")) up to position \(position), the manifest "
                    + "says \(segment.events) up to \(segment.lastPosition)")
        }
    }

    private func complaint(about event: RecordedEvent, in segment: Manifest.Segment) -> String? {
        if linesTaken == 1, event.position != segment.firstPosition {
            return "has position \(event.position), the manifest says \(segment.firstPosition)"
        }
        if let activity {
            guard event.event.activityID == ActivityID(rawValue: activity) else {
                return "belongs to another activity"
            }
            guard event.position > position else { return "has position \(event.position) again" }
            // The first may be any: an export may begin in the middle.
            if let version, event.version != version + 1 {
                return "has version \(event.version), expected was \(version + 1)"
            }
        } else if event.position != position + 1 {
            return "has position \(event.position), expected was \(position + 1)"
        }
        if let recordedAt, event.recordedAt < recordedAt {
            return "was recorded before the event in the line before it"
        }
        return nil
    }
}
