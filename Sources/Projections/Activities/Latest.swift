public import Domain
public import JSON

/// A value of which the report that happened last stands, in whatever order reports arrive.
///
/// Two different reports of the same moment are settled by their bytes, so that every order of
/// arrival still ends in the same value.
public struct Latest<Value: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    /// The newest value.
    public private(set) var value: Value
    /// When it happened, as it is believed.
    public private(set) var at: Moment

    public init(_ value: Value, at: Moment) {
        self.value = value
        self.at = at
    }

    /// Takes the report unless a later one is known.
    public mutating func offer(_ other: Value, at moment: Moment) {
        if moment > at || (moment == at && Self.isPreferred(other, to: value)) {
            value = other
            at = moment
        }
    }

    private static func isPreferred(_ left: Value, to right: Value) -> Bool {
        WireCoder.encode(right).lexicographicallyPrecedes(WireCoder.encode(left))
    }
}

extension Latest: CanonicalValue where Value: CanonicalValue {
    public func write(to writer: inout CanonicalWriter) {
        writer.object {
            $0.member("at", at)
            $0.member("value", value)
        }
    }
}

extension Optional {
    /// Takes the time of a report unless an earlier one is known: of what happens once.
    public mutating func offer(_ moment: Moment) where Wrapped == Moment {
        self = self.map { min($0, moment) } ?? moment
    }

    /// Takes the report unless a later one is known.
    public mutating func offer<Value>(_ value: Value, at moment: Moment)
    where Wrapped == Latest<Value> {
        if self == nil {
            self = Latest(value, at: moment)
        } else {
            self?.offer(value, at: moment)
        }
    }
}
