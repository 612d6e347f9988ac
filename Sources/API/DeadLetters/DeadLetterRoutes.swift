import Domain
import EventStore
import HTTP
import JSON

struct DeadLetterRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] {
        [
            Route(.get, "/v1/dead-letters", .activitiesRead, list)
                .acceptingQuery("activity", "carrier", "since", "after", "limit"),
            Route(.post, "/v1/dead-letters/{letterId}/retry", .admin, retry),
            Route(.delete, "/v1/dead-letters/{letterId}", .admin, dismiss),
        ]
    }

    private func list(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let (filter, limit) = (try call.deadLetterFilter(), try call.limit())
        let after = try call.cursor(DeadLetterPlace.self)
        let found = try await environment.asked(
            "reading dead letters",
            try await store.deadLetters.list(caller.tenant, filter, after, limit + 1))
        let counts = try await environment.asked(
            "reading dead letters", try await store.deadLetters.counts(caller.tenant))
        let (page, last) = found.page(of: limit)
        return .page(
            [
                "deadLetters": .array(page.map(DeadLetterDocument.letter)),
                "counts": DeadLetterDocument.counts(counts),
            ], next: last.map { call.nextDeadLetters(after: $0, limit) })
    }

    private func retry(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let id = try id(of: call)
        guard id.carrier != .start else {
            throw ProblemDocument(.deadLetterConflict, DeadLetter.whyStartsStay)
        }
        let isDone = try await environment.asked(
            "retrying a dead letter", try await store.deadLetters.retry(caller.tenant, id))
        guard isDone else { throw Self.unknown }
        return Response(status: 202)
    }

    private func dismiss(
        _ call: Call, _ caller: Caller
    ) async throws(ProblemDocument) -> Response {
        let id = try id(of: call)
        let isDone = try await environment.asked(
            "dismissing a dead letter", try await store.deadLetters.dismiss(caller.tenant, id))
        guard isDone else { throw Self.unknown }
        return Response(status: 204)
    }

    private func id(of call: Call) throws(ProblemDocument) -> DeadLetter.ID {
        guard let id = DeadLetter.ID(text: call.path["letterId"] ?? ""), id.isStorable else {
            throw Self.unknown
        }
        return id
    }

    private static let unknown = ProblemDocument(
        .unknownDeadLetter, "There is no such dead letter, or it was dismissed or sent again.")
}

extension DeadLetter {
    static let whyStartsStay =
        "A start is never sent again by hand: one that nobody answered may have arrived, and "
        + "another one would be a second card; one that was refused is tried again by itself as "
        + "soon as the app puts another token."
}

extension Call {
    fileprivate func deadLetterFilter() throws(ProblemDocument) -> DeadLetterFilter {
        var filter = DeadLetterFilter()
        filter.activity = try text("activity").map { ActivityID(rawValue: $0) }
        filter.carrier = try choice("carrier", "push, start or webhook") {
            DeadLetter.Carrier(rawValue: $0)
        }
        filter.since = try moment("since")
        return filter
    }

    fileprivate func nextDeadLetters(after letter: DeadLetter, _ limit: Int) -> String {
        let place = PercentEncoding.encoded(
            DeadLetterPlace(givenUpAt: letter.givenUpAt, id: letter.id).cursor)
        return link(
            ["after=\(place)", "limit=\(limit)"], keeping: ["activity", "carrier", "since"])
    }
}
