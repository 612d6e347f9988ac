import Domain
import EventStore
import Explaining
import HTTP
import JSON

struct WhyRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] {
        [Route(.get, "/v1/activities/{id}/why", .activitiesRead, why).acceptingQuery("version")]
    }

    private func why(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let id = try call.activityID()
        let version = try call.number("version", in: 1...Limits.positions.upperBound)
        return try await caller.answerFromLedger { () async throws(ProblemDocument) in
            try await explanation(call, caller, id, version)
        }
    }

    @concurrent
    private func explanation(
        _ call: Call, _ caller: Caller, _ id: ActivityID, _ version: Int64?
    ) async throws(ProblemDocument) -> Response {
        let answer = try await environment.asked(
            "explaining a decision",
            try await Explainer.explain(version, of: StoredActivity(store, caller.tenant, id)))
        switch answer {
        case .explained(let explanation):
            if case .decided(let row, _) = explanation.findings.state {
                caller.largeWork.ledgers.note([row], of: caller.tenant)
            }
            let snapshot = try await environment.asked(
                "reading an activity", try await store.projections.snapshot(caller.tenant, id))
            return .reading(call, explanation.json(of: snapshot))
        case .noSuchActivity:
            throw ProblemDocument.unknownActivity
        case .noSuchVersion:
            throw ProblemDocument(.unknownVersion, "The activity has no such version.")
        }
    }
}

extension Explanation {
    /// - Parameter snapshot: of the activity, for what its card says now; nil where nothing is
    ///   folded.
    fileprivate func json(of snapshot: Snapshot?) -> JSON {
        let event = findings.event
        var document: JSON = [
            "version": .integer(event.version), "sentences": .array(sentences.map(JSON.string)),
            "changes": .array(changes.map(ActivityDocument.change)),
            "event": ActivityDocument.event(event),
        ]
        if case .decided(let row, let before) = findings.state {
            document["decision"] = ActivityDocument.ledgerRow(
                row, of: snapshot, before: before, event: event,
                later: findings.deliverySituation?.later ?? LaterPushes(), text: findings.text)
        }
        return document
    }
}
