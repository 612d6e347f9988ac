import Domain
import EventStore
import Foundation
import HTTP
import Projections
import Replay

/// Tries a policy on what has happened: on one activity, or on those of its kind, page by page.
/// Nothing is changed and nothing is sent.
struct WhatIfRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment
    /// Trying a policy takes a thread for a while: two at a time on a node, and one of each tenant;
    /// but not all the threads, since long batches of events are folded on them, too.
    private let shares = ReservedShares(
        capacity: max(
            1, min(Limits.whatIfAtOnceMax, ProcessInfo.processInfo.activeProcessorCount - 1)))

    static let path = PathTemplate("/v1/policies/{kind}/what-if")

    var routes: [Route] {
        [
            Route(.post, Self.path.description, .activitiesRead, look)
                .acceptingQuery("activity", "after")
        ]
    }

    private struct Question: Sendable {
        let policies: PolicyPair
        let kind: String
        let tenant: TenantID

        /// A tally of no activity so far.
        var tally: WhatIfTally { WhatIfTally(triedInPart: policies.triedInPart) }
    }

    private func look(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let kind = try call.kind()
        // To read the policy takes its while, too.
        guard let reservation = shares.reserve(1, of: caller.tenant) else {
            throw ProblemDocument(
                .overloaded, "As many policies are being tried as may be at a time.",
                headers: environment.limits.retryAfter,
                isOfTenant: shares.amount(of: caller.tenant) > 0)
        }
        defer { withExtendedLifetime(reservation) {} }
        let own = try await environment.book(of: caller.tenant, store, at: 1 ... .max)
        let question = Question(
            policies: PolicyPair(
                own: own, tried: try await tried(call, kind.name, over: own, caller),
                kinds: [kind.name]),
            kind: kind.name, tenant: caller.tenant)
        if let text = try call.text("activity") {
            return try await one(ActivityID(rawValue: text), question)
        }
        return try await page(call, question)
    }

    /// - Returns: all policies of the tenant, with what is tried in force from the first event on.
    private func tried(
        _ call: Call, _ kind: String, over own: PolicyBook, _ caller: Caller
    ) async throws(ProblemDocument) -> PolicyBook {
        try await call.largeObject(.invalidPolicy, caller) { (body) throws(ProblemDocument) in
            var book = own
            do throws(PolicyError) {
                book.add(
                    try ActivityCatalog.standard.newPolicy(
                        ofKind: kind, PolicyWish(body),
                        version: own.policy(ofKind: kind, at: .max).version + 1),
                    ofKind: kind, fromPosition: 0)
            } catch { throw PolicyRoutes.problem(error) }
            return book
        }
    }

    private func one(
        _ id: ActivityID, _ question: Question
    ) async throws(ProblemDocument) -> Response {
        let snapshot = try await environment.asked(
            "reading an activity", try await store.projections.snapshot(question.tenant, id))
        guard let snapshot, snapshot.kind == question.kind else {
            throw ProblemDocument(
                .unknownActivity, "The tenant has no such activity of the kind \(question.kind).")
        }
        var tally = question.tally
        _ = try await add(snapshot, question, to: &tally)
        return .page(tally.json, next: nil)
    }

    /// Those that changed last come first, so what is looked at before somebody stops is of today.
    private func page(
        _ call: Call, _ question: Question
    ) async throws(ProblemDocument) -> Response {
        let after = try call.cursor(ActivityChange.Place.self)
        let filter = ActivityFilter(kinds: [question.kind], order: .newestChange)
        let page = try await environment.asked(
            "listing activities",
            try await store.reads.list(
                question.tenant, filter, after.map { .change($0) }, Limits.whatIfActivitiesMax,
                environment.now()))
        var tally = question.tally
        var last = page.next
        for (snapshot, place) in zip(page.snapshots, page.places) {
            guard try await add(snapshot, question, to: &tally) else { continue }
            // Events enough for one request: the next one goes on here.
            last = place == page.places.last ? page.next : place
            break
        }
        var next: String?
        if case .change(let place)? = last {
            next =
                "/v1/policies/\(question.kind)/what-if?after="
                + PercentEncoding.encoded(place.cursor)
        }
        return .page(tally.json, next: next)
    }

    /// - Returns: whether as many events were looked at as one request may.
    private func add(
        _ snapshot: Snapshot, _ question: Question, to tally: inout WhatIfTally
    ) async throws(ProblemDocument) -> Bool {
        let tried = try await withTaskExecutorPreference(globalConcurrentExecutor) {
            () async throws(ProblemDocument) in try await self.tried(snapshot, question)
        }
        tally.add(tried, of: snapshot)
        return tally.report.events >= Limits.whatIfEventsMax
    }

    /// All events of one activity, or as many as one may have. Not where others wait for their
    /// answers: it may be thousands.
    @concurrent
    private func tried(
        _ snapshot: Snapshot, _ question: Question
    ) async throws(ProblemDocument) -> TriedActivity {
        let id = snapshot.activityID
        let skipped = Set(
            try await environment.asked(
                "reading what is skipped",
                try await store.upkeep.skipped(
                    question.tenant, id, Limits.whatIfActivityEventsMax)))
        let both = BothPolicies(question.policies, alertsListed: Limits.whatIfAlertsMax)
        var (version, events) = (Int64(0), 0)
        while true {
            let after = version
            // Then only whether there are more matters.
            let isFull = events >= Limits.whatIfActivityEventsMax
            let page = try await environment.asked(
                "reading an activity's events",
                try await store.log.readActivity(
                    question.tenant, id, after, isFull ? 1 : Limits.whatIfPageEvents))
            let goesOn =
                !isFull && both.take(page, without: skipped)
                && page.count == Limits.whatIfPageEvents
            // The client has gone, and gets no answer.
            guard !Task.isCancelled else {
                throw ProblemDocument(.overloaded, "The request was given up.")
            }
            if !isFull { events += page.count }
            version = page.last?.version ?? version
            guard goesOn else {
                return TriedActivity(
                    result: both.result, events: events, isPartial: isFull && !page.isEmpty)
            }
        }
    }
}
