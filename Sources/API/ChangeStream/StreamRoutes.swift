import EventStore
import HTTP

struct StreamRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment
    let hub: ChangeHub
    let calls: ReservedShares

    var routes: [Route] {
        [
            Route(.get, "/v1/stream", .activitiesRead, stream)
                .acceptingQuery(Call.filterNames + ["after", "view"])
        ]
    }

    private func stream(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let reservation = try calls.reserveCall(of: caller.tenant, environment.limits)
        let feed = ChangeFeed(
            store: store, environment: environment, hub: hub, caller: caller,
            reservation: reservation,
            filter: try call.activityFilter(), after: try await start(call, caller),
            sendsRows: try call.choice("view", "activities or rows") {
                ["activities": false, "rows": true][$0]
            } ?? false)
        return .events(AsyncStream { await feed.next() })
    }

    /// The position to go on from: `Last-Event-ID`, else `after`, else the beginning, which gives
    /// every activity once.
    private func start(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Int64 {
        let (wanted, isFromLatest) = try call.resumption()
        let gate = EpochGate(store: store, environment: environment)
        // What stands on somebody's screen is the state of an activity, and not its events: any of
        // it may be of what was taken back.
        let after = try await gate.admit(wanted, caller.tenant) { _ in "/v1/stream" }
        guard !isFromLatest else {
            return try await environment.asked(
                "opening a stream", try await store.projections.checkpoint(caller.tenant))
        }
        let head = try await environment.asked(
            "opening a stream", try await store.log.head(caller.tenant))
        guard after <= head else { throw .beyond(head, call.resumptionName) }
        return after
    }
}
