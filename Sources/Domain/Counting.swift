extension BinaryInteger {
    /// `1 event`, `2 events`; what has another plural is given with it.
    public func counted(_ one: String, _ many: String? = nil) -> String {
        "\(self) \(self == 1 ? one : many ?? one + "s")"
    }
}

extension Int {
    /// A number that is counted up to `Limits.countedMax`, as text.
    public var orMore: String { self < Limits.countedMax ? "\(self)" : "\(self) or more" }
}
