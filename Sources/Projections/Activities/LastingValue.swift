public import Domain
public import JSON

/// A value that is reported again and again, and since when the newest one stands: since the first
/// of its last reports, between which no other value was reported. What is sent again to correct
/// something beside it is no newer than it was.
///
/// Goes by when reports happened: any order of arrival ends in the same. Two values that are
/// reported of one moment come between each other's reports.
///
/// Bounded: once another value was reported, of more than `Limits.factsMax` reports the newest are
/// known, and the value stands since the first of these.
public struct LastingValue<Value: Codable & Comparable & Hashable & Sendable>: Codable, Hashable,
    Sendable
{
    /// The newest; of two of one moment the smaller.
    private var value: Value
    /// When that was reported last.
    private var newest: Moment
    /// The first report of any value.
    public private(set) var earliest: Moment
    /// The newest report of another value.
    private var otherAt: Moment?
    /// Times of the value between that and the newest, in order.
    private var repeated: [Moment] = []

    /// The first report.
    public init(_ value: Value, at moment: Moment) {
        self.value = value
        newest = moment
        earliest = moment
    }

    /// Since when the newest value stands.
    public var since: Moment { otherAt == nil ? earliest : repeated.first ?? newest }

    /// Takes in a report.
    public mutating func offer(_ reported: Value, at moment: Moment) {
        earliest = min(earliest, moment)
        if moment > newest {
            if reported != value {
                (value, otherAt, repeated) = (reported, newest, [])
            } else if otherAt != newest {
                insert(newest)
            }
            newest = moment
            return
        }
        if moment == newest {
            guard reported != value else { return }
            value = min(value, reported)
        } else if let otherAt, moment <= otherAt {
            return
        }
        if reported == value, moment < newest {
            insert(moment)
        } else {
            otherAt = moment
            repeated.removeAll { $0 <= moment }
        }
    }

    private mutating func insert(_ moment: Moment) {
        let place = repeated.firstIndex { $0 >= moment } ?? repeated.endIndex
        guard place == repeated.endIndex || repeated[place] != moment else { return }
        repeated.insert(moment, at: place)
        if repeated.count >= Limits.factsMax { repeated.removeFirst() }
    }
}

extension LastingValue: CanonicalValue where Value: CanonicalValue {
    public func write(to writer: inout CanonicalWriter) {
        writer.object {
            $0.member("earliest", earliest)
            $0.member("newest", newest)
            $0.member("otherAt", otherAt)
            $0.member("repeated", array: repeated)
            $0.member("value", value)
        }
    }
}

extension Optional {
    /// Takes in a report.
    public mutating func offer<Value>(_ value: Value, at moment: Moment)
    where Wrapped == LastingValue<Value> {
        if self == nil {
            self = LastingValue(value, at: moment)
        } else {
            self?.offer(value, at: moment)
        }
    }
}
