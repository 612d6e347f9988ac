extension EventStoreError {
    /// The SQLSTATE with which a database refuses to write that only takes reads; the detail begins
    /// with it.
    public static let readOnlyState = "25006"

    /// The database answers, and takes no writes.
    public var isReadOnly: Bool {
        guard case .unavailable(let detail) = self else { return false }
        return detail.hasPrefix(Self.readOnlyState)
    }
}
