extension Int {
    /// Of what is counted up to `Limits.countedMax`.
    public var orMore: String { self < Limits.countedMax ? "\(self)" : "\(self) or more" }
}
