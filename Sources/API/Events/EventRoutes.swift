import Domain
import EventStore
import HTTP

/// The intake: facts in, one outcome each out, after the commit.
struct EventRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] {
        [.post("/v1/events", scope: .eventsWrite, append)]
    }

    @Sendable
    private func append(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let (events, isBatch) = try read(call.request, caller.allowance)
        guard !events.isEmpty else { return .json(200, ["events": .array([])]) }
        try caller.admit(events: events.count)
        let outcomes: [AppendOutcome]
        do { outcomes = try await store.log.append(caller.tenant, events) } catch {
            throw environment.problem(for: error, doing: "recording events")
        }
        precondition(outcomes.count == events.count, "one outcome per event")
        let conflicts = zip(events, outcomes).enumerated().compactMap { index, pair in
            conflict(pair.1, of: pair.0, at: isBatch ? "/\(index)" : "")
        }
        guard conflicts.isEmpty else {
            throw ProblemDocument(conflicts, umbrella: .eventConflicts)
        }
        return accepted(events, outcomes)
    }

    /// All events of the body, or every fault in them.
    private func read(
        _ request: Request, _ allowance: Allowance
    ) throws(ProblemDocument) -> (events: [NewEvent], isBatch: Bool) {
        let format = try CloudEventFormat(of: request)
        try allowance.check(body: request)
        let body: JSON
        do { body = try JSONParser.parse(request.body) } catch {
            throw ProblemDocument(error, in: request.body)
        }
        let elements = try elements(of: body, format)
        try allowance.check(batchOf: elements.events.count)
        var events: [NewEvent] = []
        var faults: [ProblemDocument.Fault] = []
        for (index, element) in elements.events.enumerated() {
            var reader = CloudEventReader(
                element, at: elements.isBatch ? "/\(index)" : "",
                dataBytesMax: environment.limits.eventDataBytesMax)
            if let event = reader.read() { events.append(event) }
            faults += reader.faults
        }
        guard faults.isEmpty else { throw ProblemDocument(faults, umbrella: .invalidEvents) }
        return (events, elements.isBatch)
    }

    private func elements(
        of body: JSON, _ format: CloudEventFormat
    ) throws(ProblemDocument) -> (events: [JSON], isBatch: Bool) {
        switch (format, body) {
        case (.batched, .array(let events)), (.either, .array(let events)): return (events, true)
        case (.structured, .object), (.either, .object): return ([body], false)
        case (.batched, _):
            throw ProblemDocument(
                .invalidAttribute, pointer: "", "A batch must be an array, not \(body.kind).")
        case (.structured, _), (.either, _):
            throw ProblemDocument(
                .invalidAttribute, pointer: "",
                "The body must be a CloudEvents object, not \(body.kind).")
        }
    }

    private func conflict(
        _ outcome: AppendOutcome, of event: NewEvent, at root: String
    ) -> ProblemDocument.Fault? {
        switch outcome {
        case .recorded, .alreadyKnown, .notRecorded: return nil
        case .contentConflict(let position):
            return .init(
                problem: .contentConflict, pointer: root + "/id",
                detail: "Position \(position) of the log has this `id` and `source` with other "
                    + "content.",
                figures: ["position": position])
        case .versionConflict(let actual):
            return .init(
                problem: .versionConflict, pointer: root + "/expectedversion",
                detail: "The activity is at version \(actual).",
                figures: ["actualVersion": actual])
        }
    }

    private func accepted(_ events: [NewEvent], _ outcomes: [AppendOutcome]) -> Response {
        var isAllNew = true
        let rows = zip(events, outcomes).map { event, outcome -> JSON in
            switch outcome {
            case .recorded(let position, let version):
                return row(event, "recorded", position, version)
            case .alreadyKnown(let position, let version):
                isAllNew = false
                return row(event, "already-known", position, version)
            case .contentConflict, .versionConflict, .notRecorded:
                preconditionFailure("an append without conflicts accepts every event")
            }
        }
        return .json(isAllNew ? 201 : 200, ["events": .array(rows)])
    }

    private func row(
        _ event: NewEvent, _ outcome: String, _ position: Int64, _ version: Int64
    ) -> JSON {
        [
            "id": .string(event.id), "source": .string(event.source),
            "outcome": .string(outcome), "position": .integer(position),
            "version": .integer(version),
        ]
    }
}
