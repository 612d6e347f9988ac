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
        return try await record(batch.entries, caller, isPartial: isPartial)
    }

    private func read(
        _ request: Request, _ format: CloudEventFormat, _ caller: Caller
    ) async throws(ProblemDocument) -> EventBatch {
        let (limits, receivedAt) = (environment.limits, environment.now())
        // A client that may not send events now gets its refusal before they are read.
        let allowance = caller.allowance
        try caller.checkEventsLeft(at: receivedAt)
        try allowance.check(body: request)
        return try await caller.largeWork.bodies.readEvents(
            bytes: request.body.count, of: caller.tenant,
            plain: { () throws(ProblemDocument) -> EventBatch? in
                try EventBatch(plain: request, format, allowance, limits)
            },
            otherwise: { () throws(ProblemDocument) -> EventBatch in
                try EventBatch(request, format, allowance, limits, receivedAt: receivedAt)
            })
    }

    /// - Parameter isPartial: whether the good ones are recorded if others are not.
    private func record(
        _ entries: [EventEntry], _ caller: Caller, isPartial: Bool
    ) async throws(ProblemDocument) -> Response {
        let errors = entries.indices.flatMap { entries[$0].errors }
        caller.charge(errors: errors.count)
        guard isPartial || errors.isEmpty else {
            throw ProblemDocument(errors, ifMixed: .invalidEvents)
        }
        let events = entries.indices.compactMap { entries[$0].event }
        var results: [AppendResult] = []
        if !events.isEmpty {
            try caller.chargeOrRefuse(events: events.count)
            // Does what `asked` does without its extra call: every event comes by here.
            do {
                results = try await store.log.append(caller.tenant, events, isAtomic: !isPartial)
            } catch { throw environment.problem(for: error, doing: "recording events") }
        }
        precondition(results.count == events.count, "one result per event")
        let conflicts = isPartial ? [] : EventAnswer.conflicts(entries, results)
        guard conflicts.isEmpty else {
            throw ProblemDocument(conflicts, ifMixed: .eventConflicts)
        }
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
