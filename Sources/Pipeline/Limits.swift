/// Bounds of following along.
enum Limits {
    /// Due activities looked at at once, and so events of the clock in one append.
    static let pageDue = 500
    /// How often the clock looks although nothing it knows of is due: a time that was set since
    /// comes so much late at most. People do not see it, and phones know most times by themselves.
    static let clockPollSeconds: Double = 2
    /// How often the lag is looked at, at most and at least. A look costs a row per tenant.
    static let lagLookSecondsMin: Double = 0.2
    static let lagLookSecondsMax: Double = 5
}
