import Domain
import EventStore
import HTTP
import JSON

struct OverviewRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment
    let gate: ReadGate

    var routes: [Route] {
        [
            Route(.get, "/v1/overview", .activitiesRead, overview)
                .acceptingQuery("since", "wait"),
            Route(.get, "/v1/scoreboard", .activitiesRead, scoreboard)
                .acceptingQuery("competition", "wait", "after", "limit"),
        ]
    }

    private func overview(
        _ call: Call, _ caller: Caller
    ) async throws(ProblemDocument) -> Response {
        let now = environment.now()
        let since = try call.moment("since") ?? now.adding(seconds: -Limits.overviewSecondsDefault)
        guard since < now else {
            throw ProblemDocument(.invalidParameter, "`since` must lie in the past.")
        }
        try await gate.waitUntilFolded(call, caller)
        let overview = try await environment.asked(
            "reading the overview", try await store.reads.overview(caller.tenant, since, now))
        // Which period was asked for is in the address, so that an answer is kept for each.
        let storage = OverviewDocument.storage(
            environment.usage(caller.tenant), caller.allowance)
        return .reading(
            call, OverviewDocument.document(overview, storage, since: since, now: now),
            overview.freshness, tagged: OverviewDocument.lasting(overview, storage))
    }

    private func scoreboard(
        _ call: Call, _ caller: Caller
    ) async throws(ProblemDocument) -> Response {
        let (competition, limit) = (try call.text("competition"), try call.limit())
        let after = try call.cursor(ScoreboardPage.Place.self)
        try await gate.waitUntilFolded(call, caller)
        let page = try await environment.asked(
            "reading the scoreboard",
            try await store.reads.scoreboard(caller.tenant, competition, after, limit))
        let next = page.next.map { place in
            call.link(
                ["after=\(PercentEncoding.encoded(place.cursor))", "limit=\(limit)"],
                keeping: ["competition"])
        }
        return try await caller.answer(rows: page.snapshots.count) {
            Response.reading(
                call,
                [
                    "activities": .array(page.snapshots.map(ActivityDocument.activity)),
                    "next": .optional(next),
                ], page.freshness
            ).linked(toNext: next)
        }
    }
}
