import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension HTTPURLResponse {
    /// When the server answered, by its own clock, which the phone's may differ from.
    var answeredAt: Date? { value(forHTTPHeaderField: "Date").flatMap(Self.moment) }

    /// How long it asks to wait, whichever server or proxy it is from (RFC 9110, 10.2.3); nil when
    /// it asks for nothing, or for more than a day.
    var retryAfter: Duration? {
        guard let text = value(forHTTPHeaderField: "Retry-After") else { return nil }
        let seconds =
            Double(text)
            ?? Self.moment(text).map { max(0, $0.timeIntervalSince(answeredAt ?? Date())) }
        return seconds.flatMap { (0...86_400).contains($0) ? .seconds($0) : nil }
    }

    /// A time in a header of HTTP, in whole seconds (RFC 9110, 5.6.7).
    private static func moment(_ text: String) -> Date? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: text)
    }
}
