public import Domain
import Foundation

/// Hours of the day in which nobody is to be alerted: what would alert is shown quietly instead.
public struct QuietHours: Hashable, Sendable {
    /// Minutes after midnight, local time; the hours go across midnight when `from` is the later.
    public let from: Int
    public let to: Int
    /// Name in the IANA time zone database, such as `Europe/Berlin`.
    public let timeZone: String
    /// Rules that alert nevertheless.
    public let except: Set<String>

    public init(from: Int, to: Int, timeZone: String, except: Set<String> = []) {
        self.from = from
        self.to = to
        self.timeZone = timeZone
        self.except = except
    }

    public func isQuiet(_ rule: String, at moment: Moment) -> Bool {
        guard !except.contains(rule), let zone = TimeZone(identifier: timeZone) else {
            return false
        }
        let date = Date(timeIntervalSince1970: Double(moment.unixSeconds))
        let local = moment.unixSeconds + Int64(zone.secondsFromGMT(for: date))
        let minute = Int(((local / 60) % 1440 + 1440) % 1440)
        return from <= to ? minute >= from && minute < to : minute >= from || minute < to
    }
}
