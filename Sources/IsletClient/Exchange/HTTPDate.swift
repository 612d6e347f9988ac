import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A time in a header of HTTP, in whole seconds (RFC 9110, 5.6.7).
enum HTTPDate {
    /// When the server answered, by its own clock, which the phone's may differ from.
    static func date(of response: HTTPURLResponse) -> Date? {
        response.value(forHTTPHeaderField: "Date").flatMap(date)
    }

    static func date(_ text: String) -> Date? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: text)
    }
}
