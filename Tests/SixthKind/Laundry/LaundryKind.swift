public import Domain
public import Foundation
public import Projections

/// What never changes about a wash on a phone.
public struct LaundryAttributes: CardAttributes {
    public static let kind = "Laundry"

    /// What the card shows. Members of later releases are optional.
    public struct ContentState: Codable, Hashable, Sendable {
        public var endsAt: Date
        public var isDone: Bool
    }

    @ByBytes public var machine: String
    @ByBytes public var activityID: String?
}

/// Washing machines at work.
public enum LaundryKind: ActivityKind {
    /// Each member is the earliest or the newest report, so the facts commute.
    public struct State: FoldedState {
        var machine: Latest<String>?
        var endsAt: Latest<Moment>?
        var finishedAt: Moment?

        public init() {}
    }

    public static let schemas: [EventSchema<StateChange<State>>] = [
        .init("Laundry.WashStarted", "A wash began. Sent again, the newest stands.") { data in
            let machine = try data.name("machine", sample: "Drum 3")
            let endsAt = try data.moment("endsAt")
            return StateChange {
                $0.machine.offer(machine, at: $1)
                $0.endsAt.offer(endsAt, at: $1)
            }
        },
        .init("Laundry.EndMoved", "The wash takes longer, or less long.") { data in
            let endsAt = try data.moment("endsAt")
            return StateChange { $0.endsAt.offer(endsAt, at: $1) }
        },
        .init("Laundry.WashFinished", "It ended.") { _ in StateChange { $0.finishedAt.offer($1) } },
    ]

    public static func phase(of state: State) -> Phase {
        state.finishedAt != nil ? .ended : state.endsAt == nil ? .scheduled : .live
    }

    public static func attributes(of state: State) -> LaundryAttributes {
        LaundryAttributes(machine: state.machine?.value ?? "Washing machine")
    }

    public static func contentState(of state: State) -> LaundryAttributes.ContentState {
        let end = state.finishedAt ?? state.endsAt?.value ?? Moment(unixSeconds: 0)
        return .init(endsAt: end.dateToTheSecond, isDone: state.finishedAt != nil)
    }

    public static func status(of shown: LaundryAttributes.ContentState) -> Presentation.Line? {
        shown.isDone ? .init("Done") : .init("Done in", clock: .countdown(to: Moment(shown.endsAt)))
    }

    static let moved = Rule("moved", .alert, "The end of the wash has moved.")
    public static let rules: [Rule] = [.ended, moved, .first, .progress]
    public static let texts: Phrasebook.Texts = [
        .standard: [
            "start.title": "{machine} is running", "start.body": "Follow the wash here.",
            "moved.title": "Laundry", "moved.body": "{machine} ends at another time.",
            "ended.title": "Laundry done", "ended.body": "{machine} has finished.",
        ],
        Language("de"): [
            "start.title": "{machine} läuft", "start.body": "Hier sehen Sie, wie lange noch.",
            "moved.title": "Wäsche", "moved.body": "{machine} wird zu anderer Zeit fertig.",
            "ended.title": "Wäsche fertig", "ended.body": "{machine} ist fertig.",
        ],
    ]

    public static func rule(before: State, after: State, under policy: Policy) -> Rule? {
        before.endsAt == nil || before.endsAt?.value == after.endsAt?.value ? nil : moved
    }
}
