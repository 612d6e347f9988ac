public import Domain

/// Which events of a log are wanted.
public struct EventFilter: Hashable, Sendable {
    /// Any of these; every type when empty.
    public var types: Set<String>
    /// Of this activity only.
    public var activity: ActivityID?

    public init(types: Set<String> = [], activity: ActivityID? = nil) {
        self.types = types
        self.activity = activity
    }
}
