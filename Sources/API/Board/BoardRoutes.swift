import Domain
import EventStore
import HTTP
import JSON

/// Lines about activities for operators, in pages, filtered, sorted and searched.
struct BoardRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment
    let gate: ReadGate
    private let turns = TenantTurns(waitingMax: Limits.searchesWaitingMax)

    var routes: [Route] {
        [
            Route(.get, "/v1/board", .activitiesRead, board)
                .acceptingQuery(["search"] + Call.boardNames + ["wait", "after", "limit"])
        ]
    }

    private func board(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let (filter, limit) = (try call.boardFilter(), try call.limit())
        let search = try call.boardSearch()
        try await gate.waitUntilFolded(call, caller)
        if let search { return try await found(call, caller, search, filter, limit) }
        let after = try call.place(
            byChange: filter.order == .newestChange, epochs, keeping: Call.boardNames)
        let page = try await environment.asked(
            "listing activities",
            try await store.reads.list(caller.tenant, filter, after, limit, environment.now()))
        let next = page.next.map { call.next(after: $0, limit, keeping: Call.boardNames) }
        return try await answer(call, caller, page, next: next, isPartial: false)
    }

    private func found(
        _ call: Call, _ caller: Caller, _ search: BoardSearch, _ filter: ActivityFilter,
        _ limit: Int
    ) async throws(ProblemDocument) -> Response {
        let found = try await caller.inTurn(turns, "searches") {
            () async throws(ProblemDocument) in
            try await find(caller.tenant, search, filter, limit)
        }
        return try await answer(
            call, caller, found.page, next: nil, isPartial: found.isPartial)
    }

    /// Not where others wait for their answers: for a page of one, hundreds of activities may be
    /// read and looked through.
    @concurrent
    private func find(
        _ tenant: TenantID, _ search: BoardSearch, _ filter: ActivityFilter, _ limit: Int
    ) async throws(ProblemDocument) -> (page: ActivityPage, isPartial: Bool) {
        let freshness = try await environment.asked(
            "searching activities", try await store.reads.freshness(tenant))
        let candidates = try await environment.asked(
            "searching activities",
            try await store.board.search(tenant, search.text, search.words))
        let meant = search.first(
            limit + 1, of: candidates.snapshots, fitting: filter, at: environment.now())
        let (rows, last) = meant.page(of: limit)
        let page = ActivityPage(snapshots: Array(rows), next: nil, freshness: freshness)
        return (page, candidates.isPartial || last != nil)
    }

    private func answer(
        _ call: Call, _ caller: Caller, _ page: ActivityPage, next: String?, isPartial: Bool
    ) async throws(ProblemDocument) -> Response {
        let progress = try await environment.asked(
            "reading the ledger",
            try await store.board.progress(caller.tenant, page.snapshots.map(\.activityID)))
        let now = environment.now()
        return try await caller.answer(rows: page.snapshots.count) {
            let rows = page.snapshots.map {
                BoardDocument.row($0, at: now, progress[$0.activityID] ?? DeliveryProgress())
            }
            return Response.reading(
                call,
                [
                    "rows": .array(rows), "isPartial": .bool(isPartial), "next": .optional(next),
                ], page.freshness
            ).linked(toNext: next)
        }
    }

    private var epochs: EpochGate { EpochGate(store: store, environment: environment) }
}

extension Call {
    fileprivate static let boardNames = ["kind", "phase", "faulted", "late", "waiting", "order"]

    fileprivate func boardFilter() throws(ProblemDocument) -> ActivityFilter {
        var filter = try activityFilter()
        filter.hasDeferredPhones = try flag("waiting")
        let order = try choice("order", "id, -id or -change") { ActivityFilter.Order(rawValue: $0) }
        filter.order = order ?? filter.order
        guard !filter.hasDeferredPhones || filter.order != .newestChange else {
            throw ProblemDocument(
                .invalidParameter, "`order`: with `waiting`, the order must be id or -id.")
        }
        return filter
    }

    fileprivate func boardSearch() throws(ProblemDocument) -> BoardSearch? {
        guard query["search"] != "", let text = try text("search") else { return nil }
        guard try !flag("waiting") else {
            throw ProblemDocument(
                .invalidParameter, "`search` cannot be combined with `waiting`.")
        }
        return BoardSearch(text)
    }
}
