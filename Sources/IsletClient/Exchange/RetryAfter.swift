import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How long an answer asks to wait, from any server or proxy (RFC 9110, 10.2.3).
enum RetryAfter {
    /// - Returns: nil when it asks for nothing, or for more than a day.
    static func pause(of response: HTTPURLResponse) -> Duration? {
        guard let text = response.value(forHTTPHeaderField: "Retry-After") else { return nil }
        let seconds = Double(text) ?? seconds(until: text, response)
        return seconds.flatMap { (0...86_400).contains($0) ? .seconds($0) : nil }
    }

    /// By the clock of the server that answers, which the phone's may differ from.
    private static func seconds(until text: String, _ response: HTTPURLResponse) -> Double? {
        guard let then = date(text) else { return nil }
        let now = response.value(forHTTPHeaderField: "Date").flatMap(date) ?? Date()
        return max(0, then.timeIntervalSince(now))
    }

    private static func date(_ text: String) -> Date? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: text)
    }
}
