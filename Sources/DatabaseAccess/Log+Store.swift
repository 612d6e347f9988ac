public import EventStore
import Postgres
public import Terminal

extension Log {
    /// What could not be done in the background, and is tried again. Mostly it passes: a session
    /// was ended, or the database is replaced. That a tenant moves to another cell is as it should
    /// be; another schema never passes by itself.
    /// - Parameter passedAfterSeconds: see `passing`.
    public func failed(
        _ message: String, _ error: EventStoreError,
        passedAfterSeconds: Double = Log.passedAfterSeconds
    ) {
        let fields = ["why": Database.explanation(of: error)]
        switch error {
        case .moving: rarely(.info, message, fields, key: error.name)
        case .schema: rarely(.error, message, fields, key: error.name)
        case .unavailable, .outcomeUnknown, .overloaded, .failed:
            passing(
                message, fields, key: error.name, passedAfterSeconds: passedAfterSeconds)
        }
    }

    /// The server's words have times and numbers in them, which are others with each try.
    func cannotRevive(_ error: PostgresError, _ directory: DataDirectory) {
        rarely(
            .error, "the private Postgres is dead and cannot be started",
            ["why": Database.explanation(of: error, in: directory)], key: "")
    }
}

extension EventStoreError {
    /// Equal for what is one error, whatever the words are.
    public var name: String {
        switch self {
        case .unavailable: "unavailable"
        case .outcomeUnknown: "outcome-unknown"
        case .overloaded: "overloaded"
        case .moving: "moving"
        case .failed(let state, _): state
        case .schema: "schema"
        }
    }
}
