/// One metric with its values, as Prometheus and OpenMetrics have it.
///
/// Names have their base unit last (`_seconds`, `_bytes`), those that only count up end with
/// `_total`. Labels are few and have few values: each combination is a series for ever.
public struct Metric: Sendable {
    public enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    public typealias Labels = [(name: String, value: String)]

    public struct Sample: Sendable {
        /// What follows the metric's name: `_bucket`, `_sum` or `_count` of a histogram.
        public var suffix: String
        public var labels: Labels
        public var value: Double

        public init(_ labels: Labels = [], _ value: Double, suffix: String = "") {
            self.suffix = suffix
            self.labels = labels
            self.value = value
        }
    }

    public var name: String
    public var kind: Kind
    public var help: String
    /// None leaves the metric out.
    public var samples: [Sample]

    public init(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        self.name = name
        self.kind = kind
        self.help = help
        self.samples = samples
    }

    /// - Parameter label: has the name of what is counted.
    public init(
        _ name: String, _ kind: Kind, _ help: String, by label: String,
        _ counts: [(key: String, value: Int)]
    ) {
        self.init(
            name, kind, help, counts.map { Sample([(label, $0.key)], Double($0.value)) })
    }

    public static func gauge(_ name: String, _ help: String, _ value: Double?) -> Metric {
        Metric(name, .gauge, help, value.map { [Sample([], $0)] } ?? [])
    }

    public static func counter(_ name: String, _ help: String, _ value: Double?) -> Metric {
        Metric(name, .counter, help, value.map { [Sample([], $0)] } ?? [])
    }

    public static func histogram(
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
