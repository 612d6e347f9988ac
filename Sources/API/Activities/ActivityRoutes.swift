import Domain
import EventStore
import Explaining
import HTTP
import JSON

/// Reading the results of the events: activities, their ledger and their stream of the log.
struct ActivityRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment
    let gate: ReadGate
    let cache = ActivityCache()

    var routes: [Route] {
        [
            Route(.get, "/v1/activities", .activitiesRead, list)
                .acceptingQuery(Call.filterNames + ["wait", "after", "limit"]),
            Route(.get, "/v1/activities/{id}", .activitiesRead, isTicketed: true, show)
                .acceptingQuery("wait"),
            Route(
                .get, "/v1/activities/{id}/decisions", .activitiesRead, isTicketed: true, decisions
            ).acceptingQuery("wait", "after", "limit"),
            Route(.get, "/v1/activities/{id}/events", .activitiesRead, events)
                .acceptingQuery("after", "limit"),
        ]
    }

    private func list(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let (filter, limit) = (try call.activityFilter(), try call.limit())
        let after = try call.place(
            byChange: filter.updatedSince != nil, epochs, keeping: Call.filterNames)
        try await gate.waitUntilFolded(call, caller)
        let page = try await environment.asked(
            "listing activities",
            try await store.reads.list(caller.tenant, filter, after, limit, environment.now()))
        let next = page.next.map { call.next(after: $0, limit, keeping: Call.filterNames) }
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

    private func show(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let id = try call.activityID()
        try await gate.waitUntilFolded(call, caller)
        let key = ActivityCache.Key(tenant: caller.tenant, activity: id)
        let known = cache[key]
        let reading = try await environment.asked(
            "reading an activity",
            try await store.reads.activity(caller.tenant, id, known?.rowVersion))
        switch reading.finding {
        case .absent: throw ProblemDocument.unknownActivity
        case .unchanged:
            guard let known else { preconditionFailure("unchanged since nothing") }
            return .reading(
                call, known.document(reading.freshness), known.tag, reading.freshness)
        case .found(let snapshot, let rowVersion):
            let entry = ActivityCache.Entry(snapshot, rowVersion, in: call.epoch)
            cache.keep(entry, for: key)
            return .reading(
                call, entry.document(reading.freshness), entry.tag, reading.freshness)
        }
    }

    private func decisions(
        _ call: Call, _ caller: Caller
    ) async throws(ProblemDocument) -> Response {
        let id = try call.activityID()
        let (after, limit) = (try version(call, "\(id.path)/decisions"), try call.limit())
        try await gate.waitUntilFolded(call, caller)
        return try await caller.answerFromLedger { () async throws(ProblemDocument) in
            try await ledgerPage(call, caller, id, after: after, limit)
        }
    }

    @concurrent
    private func ledgerPage(
        _ call: Call, _ caller: Caller, _ id: ActivityID, after: Int64, _ limit: Int
    ) async throws(ProblemDocument) -> Response {
        let snapshot = try await environment.asked(
            "reading an activity", try await store.projections.snapshot(caller.tenant, id))
        guard let snapshot else { throw ProblemDocument.unknownActivity }
        // The one before the page says what the card showed until then.
        let read = try await rows(caller, id, after: max(0, after - 1), limit + 2)
        var found = read.rows
        caller.largeWork.ledgers.note(found, of: caller.tenant)
        let shown = found.first { $0.decision.version == after }?.decision.contentState
        found.removeAll { $0.decision.version <= after }
        let (page, lastOfMany) = found.page(of: limit)
        // One that is large ends before its limit.
        let last = lastOfMany ?? (read.isEnd ? nil : page.last)
        let record = StoredActivity(store, caller.tenant, id)
        let later = try await environment.asked(
            "reading what phones got later", try await record.later(than: page))
        let textResults = try await environment.asked(
            "reading what was sent together", try await TextResults.read(about: page, in: record))
        let causes = try await causes(of: page, caller, id)
        let next = self.next("\(id.path)/decisions", after: last?.decision.version, limit)
        return try await caller.answer(rows: page.count) {
            let texts = textResults.results(of: page)
            var before = shown
            let rows = page.map { row in
                defer { before = row.decision.contentState }
                return ActivityDocument.ledgerRow(
                    row, of: snapshot, before: before, event: causes[row.decision.version],
                    later: later, text: texts[row.decision.version])
            }
            return Response.reading(call, ["decisions": .array(rows), "next": .optional(next)])
                .linked(toNext: next)
        }
    }

    /// Rows of the ledger up to a limit; fewer if they are large.
    private func rows(
        _ caller: Caller, _ id: ActivityID, after: Int64, _ limit: Int
    ) async throws(ProblemDocument) -> (rows: [LedgerRow], isEnd: Bool) {
        var (rows, bytes): ([LedgerRow], Int) = ([], 0)
        while rows.count < limit, bytes < Limits.ledgerPageBytesMax {
            let (last, step) = (
                rows.last?.decision.version ?? after,
                min(limit - rows.count, Limits.ledgerStepRows)
            )
            let more = try await environment.asked(
                "reading the ledger",
                try await store.projections.decisions(caller.tenant, id, last, step))
            rows += more
            bytes += more.reduce(0) { $0 + $1.textBytes }
            if more.count < step { return (rows, true) }
        }
        return (rows, false)
    }

    /// The events that decisions are about, by version. Between two of them there may be any number
    /// that nothing was decided about, such as those of another kind: they are not read.
    private func causes(
        of decisions: ArraySlice<LedgerRow>, _ caller: Caller, _ id: ActivityID
    ) async throws(ProblemDocument) -> [Int64: RecordedEvent] {
        var causes: [Int64: RecordedEvent] = [:]
        var rest = decisions
        while let first = rest.first?.decision.version {
            let run = rest.enumerated().prefix {
                $0.element.decision.version == first + Int64($0.offset)
            }
            for event in try await events(caller, id, first - 1, run.count) {
                causes[event.version] = event
            }
            rest.removeFirst(run.count)
        }
        return causes
    }

    private func events(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let id = try call.activityID()
        let (after, limit) = (try version(call, "\(id.path)/events"), try call.limit())
        let found = try await events(caller, id, after, limit + 1)
        // An empty page is the end of a known stream, or an activity that nobody reported.
        if found.isEmpty {
            let isKnown = after > 0 ? try await !events(caller, id, 0, 1).isEmpty : false
            guard isKnown else { throw ProblemDocument.unknownActivity }
        }
        let (page, last) = found.page(of: limit)
        let next = self.next("\(id.path)/events", after: last?.version, limit)
        return try await caller.answer(rows: page.count) {
            Response.reading(
                call,
                ["events": .array(page.map(ActivityDocument.event)), "next": .optional(next)]
            ).linked(toNext: next)
        }
    }

    private func events(
        _ caller: Caller, _ id: ActivityID, _ after: Int64, _ limit: Int
    ) async throws(ProblemDocument) -> [RecordedEvent] {
        try await environment.asked(
            "reading the log", try await store.log.readActivity(caller.tenant, id, after, limit))
    }

    private var epochs: EpochGate { EpochGate(store: store, environment: environment) }

    /// A version to read on from. What another one means in a restored log nobody has written down.
    private func version(_ call: Call, _ path: String) throws(ProblemDocument) -> Int64 {
        guard let wanted = try call.after(), wanted.place.number > 0 else { return 0 }
        try epochs.require(wanted.epoch) { path }
        return wanted.place.number
    }

    /// Where the next page begins; nil after the last.
    private func next(_ path: String, after version: Int64?, _ limit: Int) -> String? {
        version.map {
            let after = PercentEncoding.encoded(environment.log.cursor($0))
            return "\(path)?after=\(after)&limit=\(limit)"
        }
    }
}

extension ActivityCache.Entry {
    fileprivate init(_ snapshot: Snapshot, _ rowVersion: String, in epoch: Int64) {
        self.rowVersion = rowVersion
        prefix =
            ActivityDocument.whole(snapshot).bytes.dropLast()
            + Array(#","freshness":{"position":"#.utf8)
        tag = EntityTag(of: prefix, in: epoch)
    }

    fileprivate func document(_ freshness: Freshness) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(prefix.count + 100)
        bytes += prefix
        CanonicalText.append(freshness.position, to: &bytes)
        bytes += #","head":"#.utf8
        CanonicalText.append(freshness.head, to: &bytes)
        bytes += #","behind":"#.utf8
        CanonicalText.append(max(0, freshness.head - freshness.position), to: &bytes)
        bytes += "}}".utf8
        return bytes
    }
}
