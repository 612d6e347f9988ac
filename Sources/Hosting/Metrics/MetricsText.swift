import HTTP

/// Metrics as Prometheus and all that read OpenMetrics take them.
enum MetricsText {
    enum Format: Sendable {
        /// Prometheus' text form 0.0.4.
        case prometheus
        /// OpenMetrics 1.0.0.
        case openMetrics

        var contentType: String {
            switch self {
            case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
            case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
            }
        }

        /// What a reader who sends this `Accept` likes best.
        init(accept: String?) {
            var best = (weight: 0.0, format: Format.prometheus)
            for (name, weight) in (accept ?? "").weightedNames {
                let format: Format
                switch name {
                case "application/openmetrics-text": format = .openMetrics
                case "text/plain", "text/*", "*/*": format = .prometheus
                default: continue
                }
                if weight > best.weight { best = (weight, format) }
            }
            self = best.format
        }
    }

    static func text(_ metrics: [Metric], _ format: Format = .prometheus) -> String {
        var text = ""
        for metric in metrics where !metric.samples.isEmpty {
            let family = format.family(of: metric)
            text += "# HELP \(family) \(format.help(metric.help))\n"
            text += "# TYPE \(family) \(metric.kind.rawValue)\n"
            for sample in metric.samples {
                let labels = sample.labels.map { "\($0.name)=\"\(quoted($0.value))\"" }
                let set = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
                text += "\(metric.name)\(sample.suffix)\(set) \(number(sample.value))\n"
            }
        }
        switch format {
        case .prometheus: return text
        case .openMetrics: return text + "# EOF\n"
        }
    }

    static func response(_ metrics: [Metric], to request: Request) -> Response {
        let format = Format(accept: request.headers["accept"])
        return Response(
            status: 200,
            headers: [
                "content-type": format.contentType, "cache-control": "no-store", "vary": "accept",
            ],
            body: .bytes(Array(text(metrics, format).utf8)))
    }

    fileprivate static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    }

    fileprivate static func quoted(_ text: String) -> String {
        escaped(text).replacing("\"", with: "\\\"")
    }

    /// Whole numbers without a point, as people write them.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return Int64(exactly: value).map(String.init) ?? "\(value)"
    }
}

extension MetricsText.Format {
    /// OpenMetrics names a counter without the `_total` that its sample has.
    fileprivate func family(of metric: Metric) -> String {
        switch self {
        case .prometheus: metric.name
        case .openMetrics:
            metric.kind == .counter && metric.name.hasSuffix("_total")
                ? String(metric.name.dropLast("_total".count)) : metric.name
        }
    }

    fileprivate func help(_ text: String) -> String {
        switch self {
        case .prometheus: MetricsText.escaped(text)
        case .openMetrics: MetricsText.quoted(text)
        }
    }
}
