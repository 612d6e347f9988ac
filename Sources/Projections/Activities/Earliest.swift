public import Domain

/// A value of which the report that happened first stands, in whatever order reports arrive. Of two
/// of one moment the smaller stands.
public struct Earliest<Value: Codable & Comparable & Hashable & Sendable>: Codable, Hashable,
    Sendable
{
    /// The first value.
    public private(set) var value: Value
    /// When it happened, as it is believed.
    public private(set) var at: Moment

    public init(_ value: Value, at moment: Moment) {
        self.value = value
        at = moment
    }

    /// Takes the report unless an earlier one is known.
    public mutating func offer(_ other: Value, at moment: Moment) {
        guard (moment, other) < (at, value) else { return }
        (value, at) = (other, moment)
    }
}

extension Optional {
    /// Takes the report unless an earlier one is known.
    public mutating func offer<Value>(_ value: Value, at moment: Moment)
    where Wrapped == Earliest<Value> {
        if self == nil {
            self = Earliest(value, at: moment)
        } else {
            self?.offer(value, at: moment)
        }
    }
}
