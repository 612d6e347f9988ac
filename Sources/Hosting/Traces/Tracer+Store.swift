import Domain
import EventStore
import Terminal

/// What is appended and folded for events that are traced has spans.
extension Tracer: StoreObserver {
    func appended(_ append: ObservedAppend) {
        guard case .success(let results) = append.result else { return }
        let (tenant, endedAt) = (append.tenant, WallClock.now())
        let beganAt = endedAt.at(append.began)
        var spans: [Span] = []
        for (event, result) in zip(append.events, results) {
            guard case .recorded(let position, let version) = result,
                let trace = trace(of: event, tenant)
            else { continue }
            spans.append(
                Span(
                    trace: trace, name: .append, kind: .server,
                    spanID: trace.spanID(.append, tenant, position), parentID: trace.parentID,
                    beganAt: beganAt, endedAt: endedAt,
                    attributes: Self.attributes(tenant, event.activityID) + [
                        ("cloudevents.event_id", .text(event.id)),
                        ("cloudevents.event_source", .text(event.source)),
                        ("cloudevents.event_type", .text(event.type)),
                        ("islet.position", .number(position)),
                        ("islet.version", .number(version)),
                    ]))
        }
        note(spans)
    }

    func folded(_ fold: FoldedBatch) {
        let (tenant, committedAt) = (fold.batch.tenant, WallClock.now())
        let beganAt = committedAt.at(fold.began)
        let decidedAt = committedAt.at(fold.decided)
        var traced: [Int64: EventTrace] = [:]
        var spans: [Span] = []
        for recorded in fold.batch.events {
            let position = recorded.position
            let trace = trace(of: recorded.event, tenant)
            remember(trace, .init(tenant: tenant, position: position))
            guard let trace else { continue }
            traced[position] = trace
            let parked = fold.result.parked.first { $0.position == position }
            spans.append(
                Span(
                    trace: trace, name: .fold, kind: .internal,
                    spanID: trace.spanID(.fold, tenant, position),
                    parentID: trace.spanID(.append, tenant, position), beganAt: beganAt,
                    endedAt: committedAt,
                    attributes: Self.attributes(tenant, recorded.event.activityID) + [
                        ("islet.position", .number(position)),
                        ("islet.events", .number(Int64(fold.batch.events.count))),
                    ], failure: parked?.reason))
        }
        for decision in fold.result.decisions {
            guard let trace = traced[decision.position] else { continue }
            spans.append(
                Span(
                    trace: trace, name: .decide, kind: .internal,
                    spanID: trace.spanID(.decide, tenant, decision.position),
                    parentID: trace.spanID(.fold, tenant, decision.position),
                    beganAt: beganAt, endedAt: decidedAt,
                    attributes: Self.attributes(tenant, decision.activityID) + [
                        ("islet.verdict", .text(decision.verdict.rawValue)),
                        ("islet.rule", .text(decision.rule)),
                        ("islet.version", .number(decision.version)),
                    ]))
        }
        note(spans)
    }
}

extension Moment {
    /// The time at which something happened, if it is this moment now.
    fileprivate func at(_ instant: ContinuousClock.Instant) -> Moment {
        adding(seconds: -((.now - instant) / .seconds(1)))
    }
}
