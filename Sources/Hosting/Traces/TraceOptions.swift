import Domain
import Foundation
import Terminal

/// Where traces go, and which.
struct TraceOptions: Sendable {
    static let all = [
        OptionSpec(
            "otlp-endpoint", .text(placeholder: "URL"),
            "Collector of OpenTelemetry that is sent traces by OTLP/HTTP in JSON, such as "
                + "http://127.0.0.1:4318; /v1/traces is added. Default: no traces."),
        OptionSpec(
            "otlp-headers-file", .text(placeholder: "FILE"),
            "File of header fields for the collector, such as a key: one NAME: VALUE on a line.",
            needs: "otlp-endpoint"),
        OptionSpec(
            "trace-ratio", .text(placeholder: "RATIO"),
            "Share, from 0 to 1, of events that begin a trace of their own because they come "
                + "without a traceparent. Of the others the traceparent says whether they are "
                + "traced. The same on all nodes.",
            default: "0", needs: "otlp-endpoint"),
    ]

    let url: String
    let headers: [(name: String, value: String)]
    let ratio: Double

    /// Nil without an endpoint.
    static func of(_ arguments: Arguments) throws(CommandFailure) -> TraceOptions? {
        let ratio = try ratio(arguments)
        guard let text = arguments.text("otlp-endpoint") else { return nil }
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme),
            url.host()?.isEmpty == false, url.query() == nil, url.fragment() == nil,
            url.user() == nil
        else {
            // Without the text, which may have a password.
            throw .usage(
                "--otlp-endpoint must look like http://host:4318; a key for the collector belongs "
                    + "into --otlp-headers-file")
        }
        let base = text.hasSuffix("/") ? String(text.dropLast()) : text
        return TraceOptions(
            url: base.hasSuffix("/v1/traces") ? base : base + "/v1/traces",
            headers: try headers(arguments), ratio: ratio)
    }

    private static func ratio(_ arguments: Arguments) throws(CommandFailure) -> Double {
        let text = arguments.text("trace-ratio") ?? "0"
        guard let ratio = Double(decimal: text), (0...1).contains(ratio) else {
            throw .usage("--trace-ratio must be a number from 0 to 1, not \"\(text)\"")
        }
        return ratio
    }

    private static func headers(
        _ arguments: Arguments
    ) throws(CommandFailure) -> [(name: String, value: String)] {
        guard let file = arguments.text("otlp-headers-file") else { return [] }
        let data = try GivenFile.read(file, option: "otlp-headers-file", bytesMax: fileBytesMax)
        SecretFile.warnIfOpen(file, option: "otlp-headers-file")
        let lines = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
        return try lines.map { (line) throws(CommandFailure) -> (name: String, value: String) in
            let parts = line.split(separator: ":", maxSplits: 1)
            let name = parts.first?.trimmingCharacters(in: .whitespaces) ?? ""
            let value = parts.last?.trimmingCharacters(in: .whitespaces) ?? ""
            guard parts.count == 2, !name.isEmpty, name.utf8.allSatisfy(nameBytes.contains),
                value.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
            else {
                throw .failed(
                    "--otlp-headers-file: each line of \(file) must be a name, a colon and a value")
            }
            return (name, value)
        }
    }

    private static let fileBytesMax = 16_384
    /// Of the name of a field. Source: RFC 9110, section 5.6.2, `tchar`.
    private static let nameBytes = Set(
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
}
