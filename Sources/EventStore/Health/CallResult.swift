/// The result of a call, as far as it says something about the database. Also a metric's label, so
/// the words are a format.
public enum CallResult: String, CaseIterable, Sendable {
    /// Carried out, or turned down for what the caller asked.
    case ok
    /// The database could not be reached, or gave no answer in time.
    case unavailable
    /// It may have been carried out or not.
    case unknown
    /// The database refused the statement.
    case refused
    /// This node had as much to do as it takes on. Says nothing about the database.
    case overloaded

    public init(_ error: EventStoreError?) {
        self =
            switch error {
            case nil, .moving: .ok
            case .unavailable: .unavailable
            case .outcomeUnknown: .unknown
            case .failed, .schema: .refused
            case .overloaded: .overloaded
            }
    }
}
