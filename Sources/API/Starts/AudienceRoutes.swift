import Domain
import EventStore
import HTTP
import JSON

struct AudienceRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] {
        let path = "/v1/activities/{id}/audience"
        return [
            Route(.put, path, .registrationsWrite, put),
            Route(.get, path, .activitiesRead, show),
        ]
    }

    /// A merchant may be quicker than the first event, so an unknown activity is no error.
    private func put(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let id = try call.activityID()
        var body = try await call.fields(.invalidAudience, caller)
        let wish = try body.audience()
        try caller.requireRoomForRegistration()
        let outcome = try await environment.asked(
            "putting an audience",
            try await store.startTokens.putAudience(caller.tenant, id, wish.topics, wish.notBefore))
        let name =
            switch outcome {
            case .new: "put"
            case .changed: "replaced"
            case .known: "already-known"
            }
        return .json(
            outcome == .new ? 201 : 200,
            ["activity": .string(id.rawValue), "outcome": .string(name)])
    }

    private func show(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let id = try call.activityID()
        let report = try await environment.asked(
            "reading an audience", try await store.startTokens.audience(caller.tenant, id))
        guard let report else {
            throw ProblemDocument(
                .unknownAudience, "No audience was put for this activity.")
        }
        return .reading(call, report.json(of: id))
    }
}

extension AudienceReport {
    fileprivate func json(of id: ActivityID) -> JSON {
        func bounded(_ states: StartState...) -> Int {
            min(Domain.Limits.countedMax, states.reduce(0) { $0 + (counts[$1] ?? 0) })
        }
        func count(_ state: StartState) -> JSON { .integer(bounded(state)) }
        let waiting = deferred.reduce(0) { $0 + $1.starts }
        let pending = max(0, bounded(.waiting, .trying) - waiting)
        let progress = isClosed ? "closed" : isComplete ? "complete" : "under-way"
        return [
            "activity": .string(id.rawValue), "topics": .array(topics.map(JSON.string)),
            "notBefore": .optional(notBefore?.rfc3339), "progress": .string(progress),
            "awaits": .optional(awaits),
            "starts": [
                "started": count(.started), "pending": .integer(pending),
                "waiting": .integer(waiting),
                "held": count(.held), "refused": count(.refused), "unknown": count(.unknown),
                "needless": count(.needless),
            ], "waiting": .array(deferred.named.map(AppDocument.waitingStarts)),
            "waitingMore": .integer(deferred.unnamedCount),
            "nextAt": .optional(nextAt?.rfc3339),
        ]
    }
}
