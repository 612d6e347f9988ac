/// One metric with its values, as Prometheus and OpenMetrics have it.
///
/// Names have their base unit last (`_seconds`, `_bytes`), those that only count up end with
/// `_total`. Labels are few and have few values: each combination is a series for ever.
struct Metric: Sendable {
    enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    typealias Labels = [(name: String, value: String)]

    struct Sample: Sendable {
        /// What follows the metric's name: `_bucket`, `_sum` or `_count` of a histogram.
        var suffix: String
        var labels: Labels
        var value: Double

        init(_ labels: Labels = [], _ value: Double, suffix: String = "") {
            self.suffix = suffix
            self.labels = labels
            self.value = value
        }
    }

    var name: String
    var kind: Kind
    var help: String
    /// None leaves the metric out.
    var samples: [Sample]

    init(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        self.name = name
        self.kind = kind
        self.help = help
        self.samples = samples
    }

    /// - Parameter label: has the name of what is counted.
    init(
        _ name: String, _ kind: Kind, _ help: String, by label: String,
        _ counts: [(key: String, value: Int)]
    ) {
        self.init(
            name, kind, help, counts.map { Sample([(label, $0.key)], Double($0.value)) })
    }

    static func gauge(_ name: String, _ help: String, _ value: Double?) -> Metric {
        Metric(name, .gauge, help, value.map { [Sample([], $0)] } ?? [])
    }

    static func counter(_ name: String, _ help: String, _ value: Double?) -> Metric {
        Metric(name, .counter, help, value.map { [Sample([], $0)] } ?? [])
    }

    static func histogram(
        _ name: String, _ help: String, _ histograms: [(labels: Labels, values: Histogram)]
    ) -> Metric {
        Metric(name, .histogram, help, histograms.flatMap { samples($0.labels, $0.values) })
    }

    private static func samples(_ labels: Labels, _ values: Histogram) -> [Sample] {
        var total: UInt64 = 0
        var samples: [Sample] = []
        for (count, bound) in zip(values.counts, values.bounds + [.infinity]) {
            total += count
            let bucket = labels + [("le", MetricsText.number(bound))]
            samples.append(Sample(bucket, Double(total), suffix: "_bucket"))
        }
        return samples + [
            Sample(labels, values.sum, suffix: "_sum"),
            Sample(labels, Double(total), suffix: "_count"),
        ]
    }
}
