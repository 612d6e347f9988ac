public import Domain

/// When each value was reported first. What is sent again to correct something beside it is no
/// newer than it was.
///
/// Bounded as a `FactSet` is: of more than `Limits.factsMax` values the smallest stay, which does
/// not depend on the order of arrival.
public struct FirstReports<Key: FactKey>: Hashable, Sendable {
    private var moments: [Key: Moment] = [:]

    public init() {}

    /// The time of the first report; nil for a value that is not known.
    public subscript(key: Key) -> Moment? { moments[key] }

    /// Since when the newest value stands: since its first report. Nil if another value was new
    /// after that, so that this one was put back.
    public func standing(_ key: Key) -> Moment? {
        guard let moment = moments[key], moments.values.allSatisfy({ $0 <= moment }) else {
            return nil
        }
        return moment
    }

    /// The time of the first report of any value.
    public var earliest: Moment? { moments.values.min() }

    /// Takes in a report; of two of one value the earlier stands.
    public mutating func offer(_ key: Key, at moment: Moment) {
        moments[key] = min(moments[key] ?? moment, moment)
        if moments.count > Limits.factsMax, let largest = moments.keys.max() {
            moments[largest] = nil
        }
    }
}

extension FirstReports where Key == Int {
    /// Since when a moment stands, which is known by its microsecond since 1970.
    public func standing(_ value: Moment) -> Moment? { standing(Int(value.microseconds)) }

    /// Takes in a report of a moment; of two of one the earlier stands.
    public mutating func offer(_ value: Moment, at moment: Moment) {
        offer(Int(value.microseconds), at: moment)
    }

    /// As the members of an object.
    var named: [(String, Moment)] { moments.map { (String($0.key), $0.value) } }
}

/// An object by the values.
extension FirstReports: Codable {
    public init(from decoder: any Decoder) throws {
        moments = try decoder.singleValueContainer().decode([Key: Moment].self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(moments)
    }
}
