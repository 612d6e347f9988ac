import Domain
import EventStore
import HTTP
import JSON
import Projections

/// The log as it was recorded, for clients that keep a copy or a projection of their own.
struct LogRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment
    let hub: ChangeHub
    let calls: ReservedShares

    var routes: [Route] {
        [
            Route(.get, "/v1/events", .activitiesRead, page)
                .acceptingQuery("after", "type", "activity", "limit", "wait"),
            Route(.get, "/v1/events/stream", .activitiesRead, stream)
                .acceptingQuery("after", "type", "activity"),
        ]
    }

    private func page(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let (filter, limit) = (try call.eventFilter(), try call.limit())
        let waitSeconds = try call.waitSeconds()
        let reservation =
            waitSeconds > 0 ? try calls.reserveCall(of: caller.tenant, environment.limits) : nil
        defer { withExtendedLifetime(reservation) {} }
        let after = try await gate.admit(try call.after(), caller.tenant) { next(call, after: $0) }
        var cursor = LogCursor(
            log: store.log, tenant: caller.tenant, filter: filter, position: after)
        let events = try await environment.asked(
            "reading the log", try await read(&cursor, limit, caller.tenant, atMost: waitSeconds))
        // First of all: the log of a tenant that was removed meanwhile ends at 0.
        if waitSeconds > 0 { try await caller.checkKey() }
        guard cursor.position <= cursor.head else { throw .beyond(cursor.head, "after") }
        let (position, head) = (cursor.position, cursor.head)
        let path = next(call, after: position)
        return try await caller.answer(rows: events.count) {
            .page(
                [
                    "events": .array(events.map(ActivityDocument.event)),
                    "position": .integer(position), "head": .integer(head),
                    "epoch": .integer(environment.log.epoch),
                ], next: path)
        }
    }

    /// Returns when there is something, when the time is over, when the caller is gone, or when
    /// this node stops: then the store would refuse to be asked again.
    private func read(
        _ cursor: inout LogCursor, _ limit: Int, _ tenant: TenantID, atMost waitSeconds: Int
    ) async throws(EventStoreError) -> [RecordedEvent] {
        let end = ContinuousClock.now + .seconds(waitSeconds)
        var hasLooked = false
        while true {
            let seen = await hub.count(of: tenant)
            var ahead = cursor
            let events: [RecordedEvent]
            do { events = try await ahead.read(limit) } catch {
                guard hasLooked, Task.isCancelled else { throw error }
                return []
            }
            cursor = ahead
            hasLooked = true
            let left = (end - ContinuousClock.now) / .seconds(1)
            guard events.isEmpty, left > 0, cursor.position <= cursor.head, !Task.isCancelled
            else { return events }
            guard cursor.isAtHead else { continue }
            await hub.wait(for: tenant, beyond: seen, atMost: left)
            guard !Task.isCancelled else { return [] }
        }
    }

    private func stream(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let filter = try call.eventFilter()
        let (wanted, isFromLatest) = try call.resumption()
        var after = try await gate.admit(wanted, caller.tenant) { next(call, after: $0) }
        let head = try await environment.asked(
            "opening a stream", try await store.log.head(caller.tenant))
        if isFromLatest { after = head }
        guard after <= head else { throw .beyond(head, call.resumptionName) }
        let reservation = try calls.reserveCall(of: caller.tenant, environment.limits)
        let feed = LogFeed(
            LogCursor(log: store.log, tenant: caller.tenant, filter: filter, position: after),
            environment: environment, hub: hub, caller: caller, reservation: reservation)
        return .events(AsyncStream { await feed.next() })
    }

    private var gate: EpochGate { EpochGate(store: store, environment: environment) }

    private func next(_ call: Call, after position: Int64?) -> String {
        call.link(
            ["after=\(environment.log.cursor(position ?? 0))"],
            keeping: ["type", "activity", "limit", "wait"])
    }
}

extension ProblemDocument {
    /// Positions are never taken back, so this reader knows another log: one from before a database
    /// was set up again, perhaps. Going on would skip events.
    /// - Parameter name: what gave the position.
    static func beyond(_ head: Int64, _ name: String) -> ProblemDocument {
        ProblemDocument(
            .invalidParameter, "`\(name)` lies beyond the log, which ends at \(head).")
    }
}

extension Call {
    fileprivate func eventFilter() throws(ProblemDocument) -> EventFilter {
        var filter = EventFilter()
        filter.activity = try text("activity").map { ActivityID(rawValue: $0) }
        let types = list("type")
        guard types.count <= Limits.typesMax else {
            throw ProblemDocument(
                .invalidParameter, "`type` names more than \(Limits.typesMax) types.")
        }
        let clock = ActivityClock.schemas.map(\.type)
        for type in types
        where ActivityCatalog.standard.eventType(named: type) == nil && !clock.contains(type) {
            let refusal = ActivityCatalog.standard.unknownType(type, beside: clock)
            throw ProblemDocument(.invalidParameter, "`type`: \(refusal.detail).")
        }
        filter.types = Set(types)
        return filter
    }

    fileprivate func waitSeconds() throws(ProblemDocument) -> Int {
        try number("wait", in: 0...Int64(Limits.waitSecondsMax)).map { Int($0) } ?? 0
    }
}
