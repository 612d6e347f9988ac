import Domain
import EventStore
import HTTP
import JSON

struct SeriesRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] { [.get("/v1/series", scope: .activitiesRead, series).taking("span")] }

    private func series(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let asked = try call.choice("span", "`hour`, `day` or `fortnight`") {
            SeriesSpan(rawValue: $0)
        }
        let span = asked ?? .hour
        let now = environment.now()
        let step = Int64(span.stepSeconds)
        // Steps begin at whole multiples, so that an hour's are the same whenever it is asked for.
        let last = now.unixSeconds / step * step
        let first = last - step * Int64(span.steps - 1)
        let rows = try await environment.asked(
            "reading figures",
            try await store.series.read(caller.tenant, Moment(unixSeconds: first), span.stepSeconds)
        )
        let known = Dictionary(
            rows.map { ($0.minute.unixSeconds, $0.counts) }, uniquingKeysWith: { $1 })
        let points = (0..<span.steps).map { index -> JSON in
            let at = first + step * Int64(index)
            return SeriesPoint(
                at: Moment(unixSeconds: at), counts: known[at] ?? SeriesCounts(),
                seconds: span.stepSeconds
            ).json
        }
        return .json(
            200,
            [
                "span": .string(span.rawValue), "stepSeconds": .integer(span.stepSeconds),
                "points": .array(points),
            ])
    }
}

/// How far back, in steps that a chart has room for.
enum SeriesSpan: String, CaseIterable {
    case hour, day, fortnight

    var stepSeconds: Int {
        switch self {
        case .hour: 60
        case .day: 900
        case .fortnight: 14_400
        }
    }

    var steps: Int {
        switch self {
        case .hour: 60
        case .day: 96
        case .fortnight: 84
        }
    }
}

private struct SeriesPoint {
    let at: Moment
    let counts: SeriesCounts
    let seconds: Int

    var json: JSON {
        [
            "at": .string(at.rfc3339), "events": .integer(counts[SeriesCounts.events]),
            "verdicts": family(SeriesCounts.verdictPrefix),
            "alerts": .integer(counts[SeriesCounts.alerts]),
            "begun": .integer(counts[SeriesCounts.begun]),
            "alertsPerActivity": .ratio(counts[SeriesCounts.alerts], counts[SeriesCounts.begun]),
            "measured": .integer(counts[SeriesCounts.measured]),
            "onTimeShare": .ratio(counts[SeriesCounts.onTime], counts[SeriesCounts.measured]),
            "latencySeconds": [
                "p50": .decimal(counts.latency(share: 0.5)),
                "p99": .decimal(counts.latency(share: 0.99)),
            ],
            "lagSeconds": .decimal(Double(counts[SeriesCounts.lag]) / 1_000),
            "answers": family(SeriesCounts.answerPrefix),
        ]
    }

    private func family(_ prefix: String) -> JSON {
        .object(
            counts.family(prefix).sorted { $0.key < $1.key }.map {
                .init(name: $0.key, value: .integer($0.value))
            })
    }
}
