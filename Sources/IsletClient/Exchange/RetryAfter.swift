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

    private static func seconds(until text: String, _ response: HTTPURLResponse) -> Double? {
        guard let then = HTTPDate.date(text) else { return nil }
        return max(0, then.timeIntervalSince(HTTPDate.date(of: response) ?? Date()))
    }
}
