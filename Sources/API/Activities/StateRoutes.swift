import Domain
import EventStore
import HTTP
import JSON

struct StateRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment
    private let turns = TenantTurns(waitingMax: Limits.foldsWaitingMax)

    var routes: [Route] {
        [
            Route(.get, "/v1/activities/{id}/state", .activitiesRead, isTicketed: true, state)
                .acceptingQuery("version", "at")
        ]
    }

    private func state(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let id = try call.activityID()
        let point = try call.point()
        let past = try await caller.inTurn(turns, "states") {
            () async throws(ProblemDocument) in try await fold(caller, id, upTo: point)
        }
        guard let last = past.last else {
            throw ProblemDocument(
                .unknownActivity, "This tenant had no activity with that id at that time.")
        }
        if case .version(let version) = point, last.version < version {
            throw ProblemDocument(
                .unknownVersion, "The activity has come to version \(last.version) only.",
                remedy: "Name a version up to that one.")
        }
        guard let snapshot = past.snapshot else {
            throw ProblemDocument(
                .unknownActivity, "None of the events up to there could be folded.")
        }
        let event = ActivityDocument.event(last)
        return .reading(call, ActivityDocument.whole(snapshot).adding(["event": event]))
    }

    /// Not where others wait for their answers: it may be thousands of events.
    @concurrent
    private func fold(
        _ caller: Caller, _ id: ActivityID, upTo point: PastState.Point
    ) async throws(ProblemDocument) -> (last: RecordedEvent?, snapshot: Snapshot?) {
        // An activity's events have positions in the order of their versions, so that of more
        // than are folded again only the first are looked at.
        let skipped = try await environment.asked(
            "reading what is skipped",
            try await store.upkeep.skipped(
                caller.tenant, id, Int(Limits.foldedAgainMax)))
        var past = PastState(skipped: Set(skipped))
        pages: while true {
            let version = past.last?.version ?? 0
            let page = try await environment.asked(
                "reading the log",
                try await store.log.readActivity(caller.tenant, id, version, Limits.eventPageRows))
            guard let first = page.first, let last = page.last else { break pages }
            let book = try await environment.book(
                of: caller.tenant, store, at: first.position...last.position)
            for event in page {
                guard point.includes(event) else { break pages }
                guard event.version <= Limits.foldedAgainMax else { throw Self.tooLate(point) }
                past.take(event, under: book)
            }
            guard page.count == Limits.eventPageRows else { break pages }
        }
        return (past.last, past.snapshotWithBlockage)
    }

    private static func tooLate(_ point: PastState.Point) -> ProblemDocument {
        let name =
            switch point {
            case .version: "version"
            case .moment: "at"
            }
        return ProblemDocument(
            .invalidParameter,
            "`\(name)` must not lie after version \(Limits.foldedAgainMax) of the activity: later "
                + "states cannot be asked for.")
    }
}

extension Call {
    fileprivate func point() throws(ProblemDocument) -> PastState.Point {
        let moment = try moment("at")
        let version = try number("version", in: 1...Limits.positions.upperBound)
        switch (version, moment) {
        case (let version?, nil): return .version(version)
        case (nil, let moment?): return .moment(moment)
        case (nil, nil), (_?, _?):
            throw ProblemDocument(.invalidParameter, "Give either `version` or `at`.")
        }
    }
}
