import APNs
import DeliveryRules
import Domain
import EventStore
import struct Foundation.Data
import HTTP
import JSON

struct PhoneRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] {
        [
            Route(.get, "/v1/activities/{id}/phones", .activitiesRead, phones)
                .acceptingQuery("after", "limit"),
            Route(.get, "/v1/activities/{id}/payload", .activitiesRead, payload)
                .acceptingQuery("version"),
        ]
    }

    private func phones(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let (id, limit) = (try call.activityID(), try call.limit())
        let after = try call.number("after", in: Limits.positions)
        let (progress, cards, found, behind) = try await environment.asked(
            "reading registrations",
            (
                try await store.board.progress(caller.tenant, [id]),
                try await store.registrations.tally(caller.tenant, id, nil),
                try await store.board.phones(caller.tenant, id, after, limit + 1),
                try await after == nil ? store.board.behind(caller.tenant, id) : []
            ))
        let gone = found.filter { $0.deadAt != nil || $0.closedAt != nil }
        let served = found.filter { $0.deadAt == nil && $0.closedAt == nil }
        let kind = try await snapshot(caller, id).kind
        let (page, last) = served.page(of: limit)
        let next = last.map { "\(id.path)/phones?after=\($0.id)&limit=\(limit)" }
        return Response.reading(
            call,
            BoardDocument.deliveryProgress(progress[id] ?? DeliveryProgress(), of: kind).adding([
                "phones": .array(page.map(BoardDocument.phone)),
                "behind": .array(behind.map(BoardDocument.phone)),
                "gone": .array(gone.map(BoardDocument.phone)),
                "closed": Self.counts(cards), "next": .optional(next),
            ])
        ).linked(toNext: next)
    }

    private static func counts(_ cards: CardTally) -> JSON {
        JSON.figures(Closing.allCases.map { (key: $0.rawValue, value: cards.closed[$0] ?? 0) })
            .adding(["dead": .integer(cards.dead), "unfit": .integer(cards.unfit)])
    }

    /// The body that a phone is sent for a decision, to one that has missed nothing before it.
    private func payload(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let id = try call.activityID()
        var snapshot = try await snapshot(caller, id)
        let version =
            try call.number("version", in: 1...Limits.positions.upperBound) ?? snapshot.version
        let row = try await environment.asked(
            "reading the ledger",
            try await store.projections.decisions(caller.tenant, id, version - 1, 1).first)
        guard let row, row.decision.version == version else {
            throw ProblemDocument(.unknownVersion, "Nothing was decided about such a version.")
        }
        snapshot.contentState = row.decision.contentState
        snapshot.version = version
        let time = row.outcome?.timestamp ?? row.decision.decidedAt.unixSeconds
        let plan = PushPlan.make(
            snapshot: snapshot, pending: [row.decision], lastCompleted: nil, timestamp: time)
        let message = plan.message()
        return .reading(
            call,
            [
                "version": .integer(version),
                "payload": message.map { .encoded(Data($0.body)) } ?? .null,
                "bytes": .optionalInteger(message?.body.count),
                "bytesMax": .integer(PushFormat.device.bytesMax),
                "priority": .optionalInteger(message?.priority.rawValue),
                "stateBytes": .integer(row.decision.contentState.count),
                "stateBytesMax": .integer(Domain.Limits.pushedStateBytesMax),
            ])
    }

    private func snapshot(
        _ caller: Caller, _ id: ActivityID
    ) async throws(ProblemDocument) -> Snapshot {
        let found = try await environment.asked(
            "reading an activity", try await store.projections.snapshot(caller.tenant, id))
        if let found { return found }
        throw ProblemDocument.unknownActivity
    }
}
