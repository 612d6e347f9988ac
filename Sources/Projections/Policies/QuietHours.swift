public import Domain
import Foundation

/// Hours of the day in which nobody is to be alerted: what would alert is shown quietly instead,
/// and its alert is sent when they are over.
public struct QuietHours: Hashable, Sendable {
    /// Minutes after midnight, local time; the hours go across midnight when `from` is the later.
    public let from: Int
    /// Minute of the day at which they end.
    public let to: Int
    /// Name in the IANA time zone database, such as `Europe/Berlin`.
    public let timeZone: String
    /// Rules that alert nevertheless.
    public let except: Set<String>

    /// Whether a moment lies within the hours.
    public func contains(_ moment: Moment) -> Bool {
        guard let zone = TimeZone(identifier: timeZone) else { return false }
        return contains(minute: Self.secondOfDay(moment, in: zone) / 60)
    }

    /// When they are over; nil when it is not quiet at the moment.
    public func end(at moment: Moment) -> Moment? {
        guard let zone = TimeZone(identifier: timeZone) else { return nil }
        let second = Self.secondOfDay(moment, in: zone)
        guard contains(minute: second / 60) else { return nil }
        let left = (to * 60 - second + 86_400) % 86_400
        let end = Moment(unixSeconds: moment.unixSeconds + Int64(left))
        // Clocks may be changed before.
        let change = Self.offset(moment, in: zone) - Self.offset(end, in: zone)
        let changed = Moment(unixSeconds: end.unixSeconds + Int64(change))
        if changed > moment, !contains(changed) { return changed }
        // A change that leaves `to` out ends them itself.
        let day = Date(timeIntervalSince1970: Double(moment.unixSeconds))
        guard change < 0, let leap = zone.nextDaylightSavingTimeTransition(after: day) else {
            return end
        }
        let after = Moment(unixSeconds: Int64(leap.timeIntervalSince1970))
        return after > moment && after < end && !contains(after) ? after : end
    }

    private func contains(minute: Int) -> Bool {
        from <= to ? minute >= from && minute < to : minute >= from || minute < to
    }

    private static func offset(_ moment: Moment, in zone: TimeZone) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment.unixSeconds)))
    }

    private static func secondOfDay(_ moment: Moment, in zone: TimeZone) -> Int {
        let local = moment.unixSeconds + Int64(offset(moment, in: zone))
        return Int((local % 86_400 + 86_400) % 86_400)
    }
}
