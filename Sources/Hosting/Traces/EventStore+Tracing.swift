import Domain
import EventLoop
import EventStore
import Terminal

extension EventStore {
    /// The same store; what is appended and folded for events that are traced has spans.
    func tracing(in tracer: Tracer) -> EventStore {
        var store = self
        store.log = TracedLog(base: log, tracer: tracer)
        store.projections = TracedProjections(base: projections, tracer: tracer)
        return store
    }
}

private struct TracedLog: ForwardingEventLog {
    let base: any EventLog
    let tracer: Tracer

    func append(
        _ tenant: TenantID, _ events: [NewEvent]
    ) async throws(EventStoreError) -> [AppendOutcome] {
        let beganAt = WallClock.now()
        let outcomes = try await base.append(tenant, events)
        note(tenant, events, outcomes, beganAt)
        return outcomes
    }

    func appendEach(
        _ tenant: TenantID, _ events: [NewEvent]
    ) async throws(EventStoreError) -> [AppendOutcome] {
        let beganAt = WallClock.now()
        let outcomes = try await base.appendEach(tenant, events)
        note(tenant, events, outcomes, beganAt)
        return outcomes
    }

    private func note(
        _ tenant: TenantID, _ events: [NewEvent], _ outcomes: [AppendOutcome], _ beganAt: Moment
    ) {
        let endedAt = WallClock.now()
        var spans: [Span] = []
        for (event, outcome) in zip(events, outcomes) {
            guard case .recorded(let position, let version) = outcome,
                let trace = tracer.trace(of: event, tenant)
            else { continue }
            spans.append(
                Span(
                    trace: trace, name: .append, kind: .server,
                    spanID: trace.spanID(.append, tenant, position), parentID: trace.parentID,
                    beganAt: beganAt, endedAt: endedAt,
                    attributes: Tracer.attributes(tenant, event.activityID) + [
                        ("cloudevents.event_id", .text(event.id)),
                        ("cloudevents.event_source", .text(event.source)),
                        ("cloudevents.event_type", .text(event.type)),
                        ("islet.position", .number(position)),
                        ("islet.version", .number(version)),
                    ]))
        }
        tracer.note(spans)
    }
}

private struct TracedProjections: ForwardingProjectionStore {
    let base: any ProjectionStore
    let tracer: Tracer

    /// What a fold saw. It may be called again with more, and then only that counts.
    private struct Seen {
        var events: [RecordedEvent]
        var outcome: FoldOutcome
        var beganAt: Moment
        var decidedAt: Moment
    }

    func foldNext(
        _ tenant: TenantID?, _ limit: Int, _ fold: @Sendable (FoldBatch) -> FoldOutcome
    ) async throws(EventStoreError) -> Int {
        let seen = Lock<Seen?>(nil)
        let count = try await base.foldNext(tenant, limit) { batch in
            let beganAt = WallClock.now()
            let outcome = fold(batch)
            let decidedAt = WallClock.now()
            seen.withLock {
                $0 = Seen(
                    events: batch.events, outcome: outcome, beganAt: beganAt, decidedAt: decidedAt)
            }
            return outcome
        }
        if count > 0, let folded = seen.withLock({ $0.take() }) { note(folded) }
        return count
    }

    private func note(_ folded: Seen) {
        let committedAt = WallClock.now()
        var traced: [Int64: EventTrace] = [:]
        var spans: [Span] = []
        for recorded in folded.events {
            let (tenant, position) = (recorded.tenant, recorded.position)
            let trace = tracer.trace(of: recorded.event, tenant)
            tracer.remember(trace, .init(tenant: tenant, position: position))
            guard let trace else { continue }
            traced[position] = trace
            let parked = folded.outcome.parked.first { $0.position == position }
            spans.append(
                Span(
                    trace: trace, name: .fold, kind: .internal,
                    spanID: trace.spanID(.fold, tenant, position),
                    parentID: trace.spanID(.append, tenant, position), beganAt: folded.beganAt,
                    endedAt: committedAt,
                    attributes: Tracer.attributes(tenant, recorded.event.activityID) + [
                        ("islet.position", .number(position)),
                        ("islet.events", .number(Int64(folded.events.count))),
                    ], failure: parked?.reason))
        }
        guard let tenant = folded.events.first?.tenant, !traced.isEmpty else {
            return tracer.note(spans)
        }
        for decision in folded.outcome.decisions {
            guard let trace = traced[decision.position] else { continue }
            spans.append(
                Span(
                    trace: trace, name: .decide, kind: .internal,
                    spanID: trace.spanID(.decide, tenant, decision.position),
                    parentID: trace.spanID(.fold, tenant, decision.position),
                    beganAt: folded.beganAt, endedAt: folded.decidedAt,
                    attributes: Tracer.attributes(tenant, decision.activityID) + [
                        ("islet.verdict", .text(decision.verdict.rawValue)),
                        ("islet.rule", .text(decision.rule)),
                        ("islet.version", .number(decision.version)),
                    ]))
        }
        tracer.note(spans)
    }
}
