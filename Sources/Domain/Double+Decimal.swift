extension Double {
    /// A number that somebody has written in decimal digits, such as `1.5` or `1e3`: neither `0x10`
    /// nor `nan`, as `Double("0x10")` would take.
    public init?(decimal text: some StringProtocol) {
        guard text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }) else { return nil }
        self.init(text)
    }
}
