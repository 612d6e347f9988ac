import Glibc

/// The value of the Date field, made again at most once a second. Loop-bound.
struct DateField {
    private var second: time_t = -1
    private var text: [UInt8] = []

    mutating func now() -> [UInt8] { at(time(nil)) }

    mutating func at(_ second: time_t) -> [UInt8] {
        if second != self.second {
            self.second = second
            text = Self.format(second)
        }
        return text
    }

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func format(_ second: time_t) -> [UInt8] {
        var second = second
        var parts = tm()
        gmtime_r(&second, &parts)
        let date = "\(days[Int(parts.tm_wday)]), \(twoDigits(parts.tm_mday))"
        let month = "\(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900)"
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(twoDigits)
        return Array("\(date) \(month) \(time.joined(separator: ":")) GMT".utf8)
    }

    private static func twoDigits(_ number: Int32) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
