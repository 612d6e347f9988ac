import Domain
import EventStore
import HTTP
import JSON

struct SeriesRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] {
        [Route(.get, "/v1/series", .activitiesRead, series).acceptingQuery("span")]
    }

    private func series(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let asked = try call.choice("span", "`hour`, `day` or `fortnight`") {
            SeriesSpan(rawValue: $0)
        }
        let span = asked ?? .hour
        let now = environment.now()
        let (steps, stepSeconds) = span.steps
        let step = Int64(stepSeconds)
        // Steps begin at whole multiples, so that an hour's are the same whenever it is asked for.
        let last = now.unixSeconds / step * step
        let first = last - step * Int64(steps - 1)
        let rows = try await environment.asked(
            "reading figures",
            try await store.series.read(caller.tenant, Moment(unixSeconds: first), stepSeconds))
        let known = Dictionary(
            rows.map { ($0.minute.unixSeconds, $0.counts) }, uniquingKeysWith: { $1 })
        let points = (0..<steps).map { index -> JSON in
            let at = first + step * Int64(index)
            return (known[at] ?? SeriesCounts()).json(at: Moment(unixSeconds: at))
        }
        return .json(
            200,
            [
                "span": .string(span.rawValue), "stepSeconds": .integer(stepSeconds),
                "points": .array(points),
            ])
    }
}

/// How far back, in steps that a chart has room for.
enum SeriesSpan: String {
    case hour, day, fortnight

    var steps: (count: Int, seconds: Int) {
        switch self {
        case .hour: (60, 60)
        case .day: (96, 900)
        case .fortnight: (84, 14_400)
        }
    }
}

extension SeriesCounts {
    fileprivate func json(at moment: Moment) -> JSON {
        [
            "at": .string(moment.rfc3339), "events": .integer(self[Self.events]),
            "verdicts": document(of: Self.verdictPrefix),
            "alerts": .integer(self[Self.alerts]), "begun": .integer(self[Self.begun]),
            "alertShare": .ratio(self[Self.alerts], decisions),
            "measured": .integer(self[Self.measured]),
            "onTimeShare": .ratio(self[Self.onTime], self[Self.measured]),
            "latencySeconds": [
                "p50": .decimal(latency(share: 0.5)), "p99": .decimal(latency(share: 0.99)),
            ],
            "lagSeconds": .decimal(Double(self[Self.lag]) / 1_000),
            "answers": document(of: Self.answerPrefix),
        ]
    }

    private var decisions: Int64 { family(Self.verdictPrefix).values.reduce(0, +) }

    private func document(of prefix: String) -> JSON {
        .figures(family(prefix).sorted { $0.key < $1.key })
    }
}
