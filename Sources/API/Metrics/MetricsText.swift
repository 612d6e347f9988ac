public import HTTP

/// Metrics as Prometheus reads them.
public enum MetricsText {
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    public static func text(_ metrics: [Metric]) -> String {
        var text = ""
        for metric in metrics where !metric.samples.isEmpty {
            text += "# HELP \(metric.name) \(escaped(metric.help))\n"
            text += "# TYPE \(metric.name) \(metric.kind.rawValue)\n"
            for sample in metric.samples {
                let labels = sample.labels.map { "\($0.name)=\"\(quoted($0.value))\"" }
                let set = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
                text += "\(metric.name)\(set) \(number(sample.value))\n"
            }
        }
        return text
    }

    public static func response(_ metrics: [Metric]) -> Response {
        Response(
            status: 200, headers: ["content-type": contentType, "cache-control": "no-store"],
            body: .bytes(Array(text(metrics).utf8)))
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    }

    private static func quoted(_ text: String) -> String {
        escaped(text).replacing("\"", with: "\\\"")
    }

    /// Whole numbers without a point, as people write them.
    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return Int64(exactly: value).map(String.init) ?? "\(value)"
    }
}
