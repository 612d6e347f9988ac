import Domain
import EventStore
import HTTP

/// Reading what became of the events: activities, their ledger and their stream of the log.
struct ActivityRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] {
        [
            .get("/v1/activities", scope: .activitiesRead, list),
            .get("/v1/activities/{id}", scope: .activitiesRead, show),
            .get("/v1/activities/{id}/decisions", scope: .activitiesRead, decisions),
            .get("/v1/activities/{id}/events", scope: .activitiesRead, events),
        ]
    }

    @Sendable
    private func list(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let limit = try call.limit()
        let after = call.query["after"]
        if let after, let fault = AttributeText.fault(in: after) {
            throw ProblemDocument(.invalidParameter, "`after` \(fault).")
        }
        let found: [Snapshot]
        do {
            found = try await store.projections.snapshots(
                caller.tenant, after.map(ActivityID.init(rawValue:)), limit + 1)
        } catch { throw environment.problem(for: error, doing: "listing activities") }
        let page = found.prefix(limit)
        let cursor = found.count > limit ? page.last?.activityID.rawValue : nil
        return .json(
            200,
            [
                "activities": .array(page.map(ActivityDocument.activity)),
                "next": next("/v1/activities", after: cursor, limit),
            ])
    }

    @Sendable
    private func show(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let id = try call.activityID()
        guard let snapshot = try await snapshot(caller, id) else { throw unknownActivity }
        return .json(200, ActivityDocument.activity(snapshot))
    }

    @Sendable
    private func decisions(
        _ call: Call, _ caller: Caller
    ) async throws(ProblemDocument) -> Response {
        let id = try call.activityID()
        let (after, limit) = (try call.after(), try call.limit())
        guard let snapshot = try await snapshot(caller, id) else { throw unknownActivity }
        let found: [LedgerRow]
        do {
            found = try await store.projections.decisions(caller.tenant, id, after, limit + 1)
        } catch { throw environment.problem(for: error, doing: "reading the ledger") }
        let page = found.prefix(limit)
        let cursor = found.count > limit ? page.last?.decision.version : nil
        return .json(
            200,
            [
                "decisions": .array(page.map { ActivityDocument.ledgerRow($0, of: snapshot) }),
                "next": next(path(id, "decisions"), after: cursor.map(String.init), limit),
            ])
    }

    @Sendable
    private func events(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let id = try call.activityID()
        let (after, limit) = (try call.after(), try call.limit())
        let found = try await events(caller, id, after, limit + 1)
        // An empty page is the end of a known stream, or an activity that nobody reported.
        if found.isEmpty {
            let isKnown = after > 0 ? try await !events(caller, id, 0, 1).isEmpty : false
            guard isKnown else { throw unknownActivity }
        }
        let page = found.prefix(limit)
        let cursor = found.count > limit ? page.last?.version : nil
        return .json(
            200,
            [
                "events": .array(page.map(ActivityDocument.event)),
                "next": next(path(id, "events"), after: cursor.map(String.init), limit),
            ])
    }

    private func snapshot(
        _ caller: Caller, _ id: ActivityID
    ) async throws(ProblemDocument) -> Snapshot? {
        do { return try await store.projections.snapshot(caller.tenant, id) } catch {
            throw environment.problem(for: error, doing: "reading an activity")
        }
    }

    private func events(
        _ caller: Caller, _ id: ActivityID, _ after: Int64, _ limit: Int
    ) async throws(ProblemDocument) -> [RecordedEvent] {
        do { return try await store.log.readActivity(caller.tenant, id, after, limit) } catch {
            throw environment.problem(for: error, doing: "reading the log")
        }
    }

    private var unknownActivity: ProblemDocument {
        ProblemDocument(.unknownActivity, "This tenant has no activity with that id.")
    }

    private func path(_ id: ActivityID, _ last: String) -> String {
        "/v1/activities/\(PercentEncoding.encoded(id.rawValue))/\(last)"
    }

    /// Where the next page begins; `null` after the last.
    private func next(_ path: String, after cursor: String?, _ limit: Int) -> JSON {
        .optional(
            cursor.map { "\(path)?after=\(PercentEncoding.encoded($0))&limit=\(limit)" })
    }
}
