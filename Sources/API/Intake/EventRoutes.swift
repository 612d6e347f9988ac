import Domain
import EventStore
import HTTP
import JSON

struct EventRoutes: Sendable {
    static let intakePath = "/v1/events"

    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] {
        [Route(.post, Self.intakePath, .eventsWrite, append).acceptingQuery("partial")]
    }

    private func append(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let isPartial = try call.flag("partial")
        let format = try CloudEventFormat(of: call.request)
        guard format != .lines else {
            var intake = LineIntake(
                store: store, environment: environment, caller: caller, isPartial: isPartial,
                trace: TraceContext(call.request.headers))
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
        let (limits, receivedAt) = (environment.limits, environment.now())
        // A client that may not send events now gets its refusal before they are read.
        let (allowance, bytes) = (caller.allowance, request.body.count)
        try caller.checkEventsLeft(at: receivedAt)
        try allowance.check(body: request)
        let isTriedOnLoop = bytes <= Limits.plainOnLoopBytesMax
        if isTriedOnLoop, let plain = try EventBatch(plain: request, format, allowance, limits) {
            return plain
        }
        return try await caller.authenticator.largeBodies.read(bytes: bytes, of: caller.tenant) {
            () throws(ProblemDocument) -> EventBatch in
            if !isTriedOnLoop,
                let plain = try EventBatch(plain: request, format, allowance, limits)
            {
                return plain
            }
            return try EventBatch(request, format, allowance, limits, receivedAt: receivedAt)
        }
    }

    private func appendAll(
        _ entries: [EventEntry], _ caller: Caller
    ) async throws(ProblemDocument) -> Response {
        let errors = entries.indices.flatMap { entries[$0].errors }
        guard errors.isEmpty else {
            caller.charge(errors: errors.count)
            throw ProblemDocument(errors, ifMixed: .invalidEvents)
        }
        guard !entries.isEmpty else { return .json(200, ["events": .array([])]) }
        try caller.admit(events: entries.count)
        let events = entries.indices.compactMap { entries[$0].event }
        let results: [AppendResult]
        // Does what `asked` does without its extra call: every event comes by here.
        do { results = try await store.log.append(caller.tenant, events) } catch {
            throw environment.problem(for: error, doing: "recording events")
        }
        precondition(results.count == entries.count, "one result per event")
        let conflicts = EventAnswer.conflicts(entries, results)
        guard conflicts.isEmpty else {
            throw ProblemDocument(conflicts, ifMixed: .eventConflicts)
        }
        return EventAnswer.rows(entries, results, in: environment.log)
    }

    private func appendEach(
        _ entries: [EventEntry], _ caller: Caller
    ) async throws(ProblemDocument) -> Response {
        let events = entries.compactMap(\.event)
        caller.charge(errors: entries.reduce(0) { $0 + $1.errors.count })
        var results: [AppendResult] = []
        if !events.isEmpty {
            try caller.admit(events: events.count)
            results = try await environment.asked(
                "recording events",
                try await store.log.append(caller.tenant, events, isAtomic: false))
        }
        precondition(results.count == events.count, "one result per event")
        return EventAnswer.rows(entries, results, in: environment.log)
    }
}

extension EventRoutes {
    /// Answers a sender that asks, before it delivers events, whether it may (HTTP 1.1 Web Hooks
    /// for Event Delivery, 4: abuse protection).
    ///
    /// Anybody who asks may try: each delivery needs a key, so nothing is given away by saying yes,
    /// and a broker's host is not known beforehand.
    static func answerValidationRequest(
        _ request: Request, requestsPerSecond: Int, _ response: inout Response
    ) throws(ProblemDocument) {
        guard let origin = request.headers["webhook-request-origin"] else { return }
        guard isHostName(origin) else {
            throw ProblemDocument(
                .malformedRequest,
                "`WebHook-Request-Origin` must be a host name of at most "
                    + "\(Limits.hostNameBytesMax) characters.")
        }
        response.status = 200
        response.headers.append("webhook-allowed-origin", origin)
        let perMinute = requestsPerSecond * 60
        let wanted = request.headers["webhook-request-rate"].flatMap { Int($0) }
        let allowed = wanted.map { $0 > 0 ? min($0, perMinute) : perMinute } ?? perMinute
        response.headers.append("webhook-allowed-rate", String(allowed))
    }

    private static func isHostName(_ text: String) -> Bool {
        (1...Limits.hostNameBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                AttributeName.isLegal(byte)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
            }
    }
}
