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

    private static func format(_ second: time_t) -> [UInt8] {
        var second = second
        var parts = tm()
        gmtime_r(&second, &parts)
        var text = [CChar](repeating: 0, count: 32)
        // The names are English as long as nobody calls `setlocale`, which this program never does.
        let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return text.prefix(count).map { UInt8(bitPattern: $0) }
    }
}
