import Foundation

/// Moments as the API has them: with milliseconds and in UTC.
enum RFC3339 {
    private static let exact = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    private static let whole = Date.ISO8601FormatStyle()

    static func encode(_ date: Date, to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(exact.format(date))
    }

    static func date(from decoder: any Decoder) throws -> Date {
        let container = try decoder.singleValueContainer()
        if let date = date(try container.decode(String.self)) { return date }
        throw DecodingError.dataCorruptedError(
            in: container, debugDescription: "no moment of RFC 3339")
    }

    static func date(_ text: String) -> Date? {
        (try? exact.parse(text)) ?? (try? whole.parse(text))
    }
}
