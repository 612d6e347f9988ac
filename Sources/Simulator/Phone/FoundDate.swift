import Domain
public import Foundation

/// A date inside a content state and the path that leads to it, for example `deliveryTimer`.
public struct FoundDate: Hashable, Sendable {
    public var path: String
    public var date: Date

    /// Every `Date` and `ClosedRange<Date>` in the value, found by reflection.
    static func search(_ value: Any, path: String = "", depth: Int = 0) -> [FoundDate] {
        if let date = value as? Date { return [FoundDate(path: path, date: date)] }
        if let range = value as? ClosedRange<Date> {
            return [
                FoundDate(path: path, date: range.lowerBound),
                FoundDate(path: path, date: range.upperBound),
            ]
        }
        guard depth < Limits.dateSearchDepthMax else { return [] }
        let mirror = Mirror(reflecting: value)
        return mirror.children.flatMap { child -> [FoundDate] in
            // The payload of an optional is the optional itself to a reader.
            let label = mirror.displayStyle == .optional ? nil : child.label
            let inner = [path.isEmpty ? nil : path, label].compactMap { $0 }.joined(separator: ".")
            return search(child.value, path: inner, depth: depth + 1)
        }
    }

    /// One sentence when the date cannot be meant, nil otherwise. A Unix number in a `Date` field
    /// decodes without error to 31 years ahead: nothing but its distance gives it away.
    func implausibility(at now: Moment) -> String? {
        Self.implausibility(of: date.timeIntervalSince(now.date), named: path)
    }

    static func implausibility(of seconds: Double, named name: String) -> String? {
        guard abs(seconds) > Limits.plausibleSecondsMax else { return nil }
        let years = abs(seconds) / (365.25 * 86_400)
        let distance = years < 10_000 ? "\(Int(years.rounded())) years" : "thousands of years"
        let direction = seconds > 0 ? "ahead" : "back"
        return "\(name) is implausible, \(distance) \(direction): "
            + "dates in content-state count seconds from 2001, those in aps from 1970"
    }
}
