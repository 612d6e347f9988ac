public import Domain

/// When each value was reported first, whatever was reported since.
///
/// Bounded as a `FactSet` is: of more than `Limits.factsMax` values the smallest stay, which does
/// not depend on the order of arrival.
public struct FirstReports<Key: FactKey>: Hashable, Sendable {
    private var moments: [Key: Moment] = [:]

    public init() {}

    /// The time of the first report; nil for a value that is not known.
    public subscript(key: Key) -> Moment? { moments[key] }

    /// Takes in a report; of two of one value the earlier stands.
    public mutating func offer(_ key: Key, at moment: Moment) {
        moments[key] = min(moments[key] ?? moment, moment)
        if moments.count > Limits.factsMax, let largest = moments.keys.max() {
            moments[largest] = nil
        }
    }
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
