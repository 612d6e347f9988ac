public import Domain
public import Projections

/// What the fold remembers about a wash.
public struct LaundryState: Codable, Hashable, Sendable {
    public struct End: Codable, Hashable, Sendable {
        public var at: Moment
        @ByBytes public var reason: String?
    }

    public var machine: Latest<String>?
    public var end: Latest<End>?
    public var finishedAt: Moment?

    public init() {}
}

/// The fold of a wash. Every member is a minimum or the report that happened last, so the facts
/// commute.
extension LaundryKind {
    public static func evolve(
        _ state: inout LaundryState, with event: Laundry.Event, occurredAt: Moment
    ) {
        switch event {
        case .washStarted(let data):
            state.machine.offer(data.machine, at: occurredAt)
            state.end.offer(.init(at: data.endsAt), at: occurredAt)
        case .endMoved(let data):
            state.end.offer(.init(at: data.endsAt, reason: data.reason), at: occurredAt)
        case .washFinished:
            state.finishedAt = min(state.finishedAt ?? occurredAt, occurredAt)
        }
    }

    public static func phase(of state: LaundryState) -> Phase {
        if state.finishedAt != nil { return .ended }
        return state.end == nil ? .scheduled : .live
    }

    public static func staleAt(
        of state: LaundryState, at recordedAt: Moment, under policy: Policy
    ) -> Moment? {
        max(state.end?.value.at ?? recordedAt, recordedAt)
            .adding(seconds: policy[LaundryPolicy.grace])
    }

    public static func attributes(of state: LaundryState) -> LaundryAttributes {
        LaundryAttributes(machine: state.machine?.value ?? "Washing machine")
    }

    public static func contentState(of state: LaundryState) -> LaundryAttributes.ContentState {
        let end = state.finishedAt ?? state.end?.value.at ?? Moment(unixSeconds: 0)
        return LaundryAttributes.ContentState(
            endsAt: end.dateToTheSecond, isDone: state.finishedAt != nil,
            note: state.end?.value.reason)
    }
}
