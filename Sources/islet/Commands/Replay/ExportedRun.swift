import Archive
import Domain
import EventLoop
import Foundation

/// Reports an export's events to a server, one batch after the other, so that the order stays.
struct ExportedRun {
    /// How far an earlier run has come.
    private struct Note: Codable {
        var target: String
        var position: Int64
        /// What new ids begin with; the same for the whole run, so that nothing is reported twice.
        var mark: String
        /// What the story's times are moved by.
        var movedByMicroseconds: Int64
    }

    private let reader: ArchiveReader
    private let plan: RunPlan
    private let client: IsletClient
    private let noteFile: String
    private var note: Note
    private var reported = 0
    /// When the first event of this run was due, and when that was recorded.
    private var start: (instant: ContinuousClock.Instant, recordedAt: Moment)?

    init(_ reader: ArchiveReader, _ plan: RunPlan, note file: String) throws(CommandFailure) {
        self.reader = reader
        self.plan = plan
        noteFile = file
        client = IsletClient(
            host: plan.host, port: plan.port, key: plan.key, on: EventLoop(name: "run"))
        note = Note(
            target: plan.target, position: reader.manifest.selection.after,
            mark: UUID().uuidString.lowercased().prefix(8) + "-", movedByMicroseconds: 0)
        if let data = FileManager.default.contents(atPath: file) {
            guard let known = try? JSONDecoder().decode(Note.self, from: data) else {
                throw .failed("\(file) is not what an earlier run has noted; remove it")
            }
            guard known.target == plan.target else {
                throw .failed(
                    "\(file) is of a run to \(known.target); remove it to begin one to "
                        + plan.target)
            }
            note = known
        }
    }

    /// - Returns: how many events were reported now.
    mutating func report(
        progress: (_ done: Int64, _ total: Int64) -> Void
    ) async throws(CommandFailure) -> Int {
        let last = reader.manifest.lastPosition
        while note.position < last {
            let through = min(note.position + Self.batchEvents, last)
            let events: [RecordedEvent]
            do throws(ArchiveError) {
                events = try await reader.events(note.position + 1...through)
            } catch { throw ArchiveRun.failure(error) }
            try await report(events)
            note.position = through
            try keepNote()
            progress(through, last)
        }
        try? FileManager.default.removeItem(atPath: noteFile)
        return reported
    }

    /// What is due together goes together.
    private mutating func report(_ events: [RecordedEvent]) async throws(CommandFailure) {
        var batch: [RecordedEvent] = []
        for event in events where ActivityClock.source != event.event.source {
            let due = dueTime(of: event)
            if due > .now + Self.togetherWithin, !batch.isEmpty {
                try await send(batch)
                batch = []
            }
            if due > .now { try? await Task.sleep(until: due, clock: .continuous) }
            if Task.isCancelled { throw interrupted() }
            batch.append(event)
        }
        if !batch.isEmpty { try await send(batch) }
    }

    private mutating func dueTime(of event: RecordedEvent) -> ContinuousClock.Instant {
        guard let start else {
            start = (.now, event.recordedAt)
            if note.movedByMicroseconds == 0, plan.movesTimes {
                note.movedByMicroseconds =
                    WallClock.now().microseconds - event.recordedAt.microseconds
            }
            return .now
        }
        guard case .factor(let factor) = plan.pace else { return start.instant }
        let seconds = event.recordedAt.seconds(since: start.recordedAt) / factor
        return start.instant + .milliseconds(Int64(seconds * 1000))
    }

    private mutating func send(_ events: [RecordedEvent]) async throws(CommandFailure) {
        // The ids' mark and the shift of times before any event has them.
        if reported == 0 { try keepNote() }
        let bodies = events.map(cloudEvent)
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            do throws(IsletClient.Failure) {
                try await client.post(batch: bodies)
                break
            } catch {
                guard case .unreachable(let detail) = error else {
                    throw .failed(refusal(error, of: events))
                }
                guard ContinuousClock.now < deadline else {
                    throw .failed("\(plan.target) is away: \(detail); the same command goes on")
                }
            }
            if Task.isCancelled { throw interrupted() }
            try? await Task.sleep(for: .milliseconds(200))
        }
        reported += events.count
        note.position = events.last?.position ?? note.position
        try keepNote()
    }

    private func refusal(_ error: IsletClient.Failure, of events: [RecordedEvent]) -> String {
        guard case .refused(let status, let detail) = error, let first = events.first else {
            return "\(error)"
        }
        return "\(plan.target) refused (\(status)) what begins with position \(first.position): "
            + detail
    }

    private func interrupted() -> CommandFailure {
        .interrupted(
            "interrupted after position \(note.position); the same command goes on there")
    }

    private func keepNote() throws(CommandFailure) {
        do {
            try WireCoder.encode(note).write(to: URL(filePath: noteFile), options: .atomic)
        } catch { throw .failed("\(noteFile) cannot be written") }
    }

    private func cloudEvent(_ recorded: RecordedEvent) -> Data {
        let event = recorded.event
        let members: [String: String] = [
            "specversion": "1.0", "id": (plan.hasNewIDs ? note.mark : "") + event.id,
            "source": event.source, "type": event.type, "subject": event.activityID.rawValue,
            "time": event.occurredAt.rfc3339, "datacontenttype": "application/json",
        ]
        // As it is, so that no number loses a digit; moved times are texts.
        let head = WireCoder.encode(members).dropLast()
        let whole =
            head + Data(",\"schemaversion\":\(event.schemaVersion),\"data\":".utf8) + event.data
            + Data("}".utf8)
        let shift = note.movedByMicroseconds
        guard shift != 0, let object = JSONObject(Data(whole)) else { return Data(whole) }
        return object.movingTimes { time in
            Moment(microseconds: time.microseconds + shift)
        }.json
    }

    private static let batchEvents: Int64 = 100
    /// So close together that one request may carry them.
    private static let togetherWithin = Duration.milliseconds(5)
}
