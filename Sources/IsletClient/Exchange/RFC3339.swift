import Foundation

/// Moments as the API has them: with milliseconds and in UTC.
enum RFC3339 {
    private static let exact = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    private static let whole = Date.ISO8601FormatStyle()

    /// With the nearest millisecond. A `Date` can be hardly any of them exactly, and the style cuts
    /// off what is behind: a text that was read would come back as the millisecond before.
    static func text(_ date: Date) -> String {
        let rounded = (date.timeIntervalSince1970 * 1000).rounded()
        guard let milliseconds = Int(exactly: rounded) else { return exact.format(date) }
        let fraction = (milliseconds % 1000 + 1000) % 1000
        let second = Date(timeIntervalSince1970: (rounded / 1000).rounded(.down))
        return "\(whole.format(second).dropLast()).\(String(1000 + fraction).dropFirst())Z"
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
