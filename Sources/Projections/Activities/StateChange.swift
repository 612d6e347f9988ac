public import Domain

/// What one event does to the facts: the `Event` of a kind whose policy only looks at the states
/// before and after.
public struct StateChange<State>: Sendable {
    private let change: @Sendable (inout State, Moment) -> Void

    /// - Parameter change: given the state and when the event happened.
    public init(_ change: @escaping @Sendable (inout State, Moment) -> Void) {
        self.change = change
    }

    /// Takes it into the facts.
    public func fold(into state: inout State, occurredAt: Moment) { change(&state, occurredAt) }
}

extension ActivityKind where Event == StateChange<State> {
    /// What the event says of itself.
    public static func evolve(_ state: inout State, with event: Event, occurredAt: Moment) {
        event.fold(into: &state, occurredAt: occurredAt)
    }
}
