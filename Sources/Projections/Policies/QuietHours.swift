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

    /// When they are over; nil when it is not quiet at the moment. A change of clocks that leads
    /// out of them ends them, whichever way it goes.
    public func end(at moment: Moment) -> Moment? {
        guard let zone = TimeZone(identifier: timeZone), contains(moment) else { return nil }
        var start = moment
        while true {
            let left = (to * 60 - Self.secondOfDay(start, in: zone) + 86_400) % 86_400
            let end = Moment(unixSeconds: start.unixSeconds + Int64(left))
            guard let change = Self.changeOfClocks(after: start, through: end, in: zone) else {
                return end
            }
            guard contains(change) else { return change }
            start = change
        }
    }

    /// The first second of other clocks. No zone changes them twice within a day.
    private static func changeOfClocks(
        after start: Moment, through end: Moment, in zone: TimeZone
    ) -> Moment? {
        let offset = Self.offset(start, in: zone)
        guard Self.offset(end, in: zone) != offset else { return nil }
        var (before, after) = (start.unixSeconds, end.unixSeconds)
        while after - before > 1 {
            let middle = before + (after - before) / 2
            if Self.offset(Moment(unixSeconds: middle), in: zone) == offset {
                before = middle
            } else {
                after = middle
            }
        }
        return Moment(unixSeconds: after)
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
