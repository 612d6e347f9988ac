extension EventStoreError {
    /// The SQLSTATE with which a database refuses to write that only takes reads; the detail begins
    /// with it.
    public static let readOnlyState = "25006"

    /// What the database answered, if it did: the detail of an outage begins with it, or says with
    /// it why nobody is let in.
    public var sqlState: String? {
        switch self {
        case .failed(let state, _): state
        case .unavailable(let detail):
            detail.firstMatch(of: /(?:^|lets nobody in: )([0-9A-Z]{5})\b/).map { String($0.1) }
        case .outcomeUnknown, .overloaded, .moving, .schema: nil
        }
    }

    /// The database answers, and takes no writes.
    public var isReadOnly: Bool {
        guard case .unavailable(let detail) = self else { return false }
        return detail.hasPrefix(Self.readOnlyState)
    }
}
