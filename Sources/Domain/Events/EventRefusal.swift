/// Why an event is not accepted: for its shape, never for its order or its lateness.
public struct EventRefusal: Error, Hashable, Sendable {
    /// What is wrong with an event.
    public enum Problem: String, Sendable {
        case unknownType = "unknown-event-type"
        case unknownSchemaVersion = "unknown-schema-version"
        case invalidData = "invalid-event-data"
    }

    /// What is wrong with it.
    public var problem: Problem
    /// JSON pointer into the event, for example `/data/driverName` or `/type`.
    public var pointer: String
    /// What is wrong with it and what to send instead; never contains the value itself.
    public var detail: String

    public init(_ problem: Problem, pointer: String, detail: String) {
        self.problem = problem
        self.pointer = pointer
        self.detail = detail
    }
}
