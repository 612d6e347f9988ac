import Domain
import EventStore
import HTTP
import JSON

/// The intake: facts in, one outcome each out, after the commit.
struct EventRoutes: Sendable {
    static let intakePath = "/v1/events"

    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] {
        [.post(Self.intakePath, scope: .eventsWrite, append)]
    }

    @Sendable
    private func append(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let isPartial = try call.flag("partial")
        let format = try CloudEventFormat(of: call.request)
        guard format != .lines else {
            var intake = LineIntake(
                store: store, environment: environment, caller: caller, isPartial: isPartial,
                trace: CarriedTrace(call.request.headers))
            return try await intake.record(call.request)
        }
        let batch = try await read(call.request, format, caller)
        return isPartial
            ? try await appendEach(batch.entries, caller)
            : try await appendAll(batch.entries, caller)
    }

    private func read(
        _ request: Request, _ format: CloudEventFormat, _ caller: Caller
    ) async throws(ProblemDocument) -> EventBatch {
        // Whoever may not send events now is told so before they are read.
        try caller.checkEventsLeft()
        let (limits, receivedAt) = (environment.limits, environment.now())
        return try await caller.authenticator.largeBodies.read(
            bytes: request.body.count, of: caller.tenant
        ) {
            () throws(ProblemDocument) in
            try EventBatch(request, format, caller.allowance, limits, receivedAt: receivedAt)
        }
    }

    private func appendAll(
        _ entries: [EventEntry], _ caller: Caller
    ) async throws(ProblemDocument) -> Response {
        let faults = entries.flatMap(\.faults)
        guard faults.isEmpty else { throw ProblemDocument(faults, umbrella: .invalidEvents) }
        guard !entries.isEmpty else { return .json(200, ["events": .array([])]) }
        try caller.admit(events: entries.count)
        let outcomes: [AppendOutcome]
        do {
            outcomes = try await store.log.append(caller.tenant, entries.compactMap(\.event))
        } catch { throw environment.problem(for: error, doing: "recording events") }
        precondition(outcomes.count == entries.count, "one outcome per event")
        let conflicts = EventAnswer.conflicts(entries, outcomes)
        guard conflicts.isEmpty else {
            throw ProblemDocument(conflicts, umbrella: .eventConflicts)
        }
        return EventAnswer.accepted(entries, outcomes, in: environment.log)
    }

    private func appendEach(
        _ entries: [EventEntry], _ caller: Caller
    ) async throws(ProblemDocument) -> Response {
        let events = entries.compactMap(\.event)
        var outcomes: [AppendOutcome] = []
        if !events.isEmpty {
            try caller.admit(events: events.count)
            do { outcomes = try await store.log.appendEach(caller.tenant, events) } catch {
                throw environment.problem(for: error, doing: "recording events")
            }
        }
        precondition(outcomes.count == events.count, "one outcome per event")
        return EventAnswer.partial(entries, outcomes, in: environment.log)
    }
}
