public import Domain
public import EventStore

extension EventFilter {
    /// Whether an event is wanted, for stores in memory.
    public func accepts(_ event: NewEvent) -> Bool {
        (types.isEmpty || types.containsBytes(of: event.type))
            && (activity == nil || activity == event.activityID)
    }
}
