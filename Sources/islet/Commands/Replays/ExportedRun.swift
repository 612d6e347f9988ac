import Archive
import Domain
import EventLoop
import Foundation
import JSON
import ServerClient
import Terminal

/// Reports an export's events to a server, one batch after the other, so that the order stays.
struct ExportedRun {
    private let export: ArchiveSeries
    private let plan: RunPlan
    private let client: RemoteServer
    private let noteFile: String
    private var note: RunNote
    /// Whether an earlier run has begun this story.
    private let isContinued: Bool
    private var reported = 0
    /// Events in one request; fewer once the server has said that those were too many.
    private var batchEventsMax = Int(Self.readAtOnce)
    /// When the first event of this run was due, and when that was recorded.
    private var start: (instant: ContinuousClock.Instant, recordedAt: Moment)?

    /// - Parameter export: a series of one.
    init(_ export: ArchiveSeries, _ plan: RunPlan, note file: String) throws(CommandFailure) {
        self.export = export
        self.plan = plan
        noteFile = file
        client = RemoteServer(plan.server, key: plan.key, on: EventLoop(name: "run"))
        let begun = RunNote(export.manifests[0], plan)
        let known = try RunNote.kept(in: file, of: begun)
        note = known ?? begun
        isContinued = known != nil
    }

    /// - Returns: what was done.
    mutating func report(
        progress: (_ done: Int64, _ total: Int64) -> Void
    ) async throws(CommandFailure) -> RunDocument {
        let last = export.lastPosition
        if plan.endsNow, note.moves == nil, let ended = try await lastRecordedAt() {
            note.moves = StoryTimes(then: ended, now: WallClock.now(), factor: plan.factor)
        }
        while note.position < last {
            let (events, through) = try await page(after: note.position)
            try await report(events)
            note.position = through
            try note.keep(in: noteFile)
            progress(through, last)
        }
        try? FileManager.default.removeItem(atPath: noteFile)
        return RunDocument(
            events: reported, target: plan.server.text, idPrefix: plan.hasNewIDs ? note.mark : nil)
    }

    /// Of what is to be reported: no manifest says it, and in a log it never goes back.
    private func lastRecordedAt() async throws(CommandFailure) -> Moment? {
        var (position, last) = (note.position, Moment?.none)
        while position < export.lastPosition {
            let (events, through) = try await page(after: position)
            last = events.last?.recordedAt ?? last
            position = through
        }
        return last
    }

    /// What sources reported at the positions after this one.
    private func page(
        after position: Int64
    ) async throws(CommandFailure) -> (events: [RecordedEvent], through: Int64) {
        let through = min(position + Self.readAtOnce, export.lastPosition)
        do throws(ArchiveError) {
            let events = try await export.events(position + 1...through)
            return (events.filter { ActivityClock.source != $0.event.source }, through)
        } catch { throw ArchiveRun.failure(error) }
    }

    /// What is due together goes together.
    private mutating func report(_ events: [RecordedEvent]) async throws(CommandFailure) {
        var batch: [RecordedEvent] = []
        for event in events {
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
            let now = WallClock.now()
            if note.moves == nil, plan.movesTimes {
                note.moves = StoryTimes(
                    then: event.recordedAt, now: now, factor: plan.factor)
            }
            var first = ContinuousClock.now
            // A story that goes on soon after it was interrupted is not at its next event yet.
            if plan.speed != nil, let moves = note.moves {
                first += .seconds(moves.secondsLeft(until: event.recordedAt, at: now))
            }
            start = (first, event.recordedAt)
            return first
        }
        guard let speed = plan.speed else { return start.instant }
        let seconds = event.recordedAt.seconds(since: start.recordedAt) / speed
        return start.instant + .milliseconds(Int64(seconds * 1000))
    }

    private mutating func send(_ events: [RecordedEvent]) async throws(CommandFailure) {
        // The ids' mark and the shift of times before any event has them.
        if reported == 0 { try note.keep(in: noteFile) }
        var rest = events[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(batchEventsMax))
            guard try await isTaken(batch) else {
                batchEventsMax = batch.count / 2
                continue
            }
            rest.removeFirst(batch.count)
            reported += batch.count
            note.position = batch.last?.position ?? note.position
            try note.keep(in: noteFile)
        }
    }

    /// Waits while the server is away, and for as long as it asks to.
    /// - Returns: false when these are too many for one request.
    private func isTaken(_ events: [RecordedEvent]) async throws(CommandFailure) -> Bool {
        let bodies = events.map(cloudEvent)
        var deadline = ContinuousClock.now + Self.awayMax
        var isSaid = false
        while true {
            let pause: Duration
            do throws(RemoteServer.Failure) {
                try await client.post(batch: bodies)
                return true
            } catch {
                switch error {
                case .unreachable(let detail):
                    guard ContinuousClock.now < deadline else {
                        throw .failed(
                            "\(plan.server.text) is away: \(detail); the same command goes on")
                    }
                    // Otherwise a wrong address looks like a long story.
                    if !isSaid {
                        Console.note(
                            "\(plan.server.text) is away: \(detail); trying for "
                                + "\(Self.awayMax.components.seconds) s")
                    }
                    isSaid = true
                    pause = .milliseconds(200)
                case .busy(let wait, _):
                    deadline = .now + wait + Self.awayMax
                    pause = wait
                case .refused(status: 413, _) where events.count > 1: return false
                case .refused(let status, let detail):
                    // Nothing was taken: the next run may be another one.
                    if !isContinued, reported == 0 {
                        try? FileManager.default.removeItem(atPath: noteFile)
                    }
                    throw .failed(refusal(status, detail, of: events))
                }
            }
            try? await Task.sleep(for: pause)
            if Task.isCancelled { throw interrupted() }
        }
    }

    /// No version is expected of an activity, so the one conflict is that of ids.
    private func refusal(_ status: Int, _ detail: String, of events: [RecordedEvent]) -> String {
        let first = events.first.map { "\($0.position)" } ?? "none"
        let said =
            "\(plan.server.text) refused (\(status)) what begins with position \(first): \(detail)"
        guard status == 409 else { return said }
        return said
            + " Its ids are known there from another run or from the original: give --ids new to "
            + "report the story as activities of their own"
            + (plan.movesTimes ? ", or --times same if its times were not moved there." : ".")
    }

    private func interrupted() -> CommandFailure {
        .interrupted(
            "interrupted after position \(note.position); the same command goes on there")
    }

    private func cloudEvent(_ recorded: RecordedEvent) -> Data {
        let event = recorded.event
        // An activity that has ended would take new events for corrections.
        let mark = plan.hasNewIDs ? note.mark : ""
        let members: [String: String] = [
            "specversion": "1.0", "id": mark + event.id, "source": event.source,
            "type": event.type, "subject": mark + event.activityID.rawValue,
            "time": event.occurredAt.rfc3339, "datacontenttype": "application/json",
        ]
        // As it is, so that no number loses a digit; moved times are texts.
        let head = WireCoder.encode(members).dropLast()
        let whole =
            head + Data(",\"schemaversion\":\(event.schemaVersion),\"data\":".utf8) + event.data
            + Data("}".utf8)
        guard let moves = note.moves, let object = try? JSONParser.parse(Array(whole)) else {
            return Data(whole)
        }
        return Data(object.movingTimes(by: moves.moved).canonicalBytes)
    }

    private static let readAtOnce: Int64 = 100
    /// How long a server may be away.
    private static let awayMax = Duration.seconds(60)
    /// So close together that one request may carry them.
    private static let togetherWithin = Duration.milliseconds(5)
}

/// What a run has come to.
struct RunDocument: Encodable, Sendable {
    var events: Int
    var target: String
    /// What the ids of activities and events begin with, when they are new ones.
    var idPrefix: String?

    var text: String {
        "Reported \(events.counted("event")) to \(target)"
            + (idPrefix.map { "; the ids of activities and events begin with \($0)" } ?? "") + "."
    }
}
