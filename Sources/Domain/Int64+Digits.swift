extension Int64 {
    /// A number that somebody else has written in decimal digits and nothing else: no sign, no
    /// space, no zero in front. `Int64("+7")` is 7 as well, and two ways to write one thing are one
    /// too many for what names something.
    /// - Returns: nil for anything else, and for what does not fit.
    public init?(digits text: some StringProtocol) {
        // The longest that fits has 19; more need not be looked at.
        guard (1...19).contains(text.utf8.count),
            text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            text.utf8.count == 1 || text.utf8.first != UInt8(ascii: "0")
        else { return nil }
        self.init(text)
    }
}

extension Int {
    /// Of what is counted up to `Limits.countedMax`.
    public var orMore: String { self < Limits.countedMax ? "\(self)" : "\(self) or more" }
}
