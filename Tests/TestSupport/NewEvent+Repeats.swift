public import Domain

extension NewEvent {
    /// Whether it says the same as one of its name that is in the log, for stores in memory.
    /// Extensions say who passed it on, and may differ.
    public func repeats(_ recorded: NewEvent) -> Bool {
        var known = recorded
        if isTimeAssumed { known.occurredAt = occurredAt }
        known.extensions = extensions
        var event = asRecorded
        event.extensions = extensions
        return known == event
    }
}
