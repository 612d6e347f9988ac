extension Int64 {
    /// A number that somebody else has written in decimal digits and nothing else: no sign, no
    /// space, as `Int64("+7")` would take. Zeros in front change nothing.
    /// - Returns: nil for anything else, and for what does not fit.
    public init?(digits text: some StringProtocol) {
        // The longest that fits has 19; more need not be looked at.
        guard (1...19).contains(text.utf8.count),
            text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else { return nil }
        self.init(text)
    }
}
