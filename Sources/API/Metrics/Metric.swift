/// One metric with its values, as Prometheus' text form 0.0.4 has it.
///
/// Names have their base unit last (`_seconds`, `_bytes`), those that only count up end with
/// `_total`. Labels are few and have few values: each combination is a series for ever.
public struct Metric: Sendable {
    public enum Kind: String, Sendable {
        case counter, gauge
    }

    public struct Sample: Sendable {
        public var labels: [(name: String, value: String)]
        public var value: Double

        public init(_ labels: [(name: String, value: String)] = [], _ value: Double) {
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

    public static func gauge(_ name: String, _ help: String, _ value: Double?) -> Metric {
        Metric(name, .gauge, help, value.map { [Sample([], $0)] } ?? [])
    }

    public static func counter(_ name: String, _ help: String, _ value: Double?) -> Metric {
        Metric(name, .counter, help, value.map { [Sample([], $0)] } ?? [])
    }
}
