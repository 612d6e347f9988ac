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
        @ByBytes public var note: String?
    }

    @ByBytes public var machine: String
    @ByBytes public var activityID: String?
}

/// What the fold remembers: each member is a minimum or the newest report, so the facts commute.
public struct LaundryState: FoldedState {
    var machine: Latest<String>?
    var endsAt: Latest<Moment>?
    var reason: Latest<String?>?
    var finishedAt: Moment?

    public init() {}
}

/// Washing machines at work.
public enum LaundryKind: ActivityKind {
    public static let schemas: [EventSchema<Report<LaundryState>>] = [
        .init("Laundry.WashStarted", "A wash began. Sent again, the newest stands.") { data in
            let machine = try data.name("machine", sample: "Drum 3")
            let endsAt = try data.moment("endsAt")
            return Report {
                $0.machine.offer(machine, at: $1)
                $0.endsAt.offer(endsAt, at: $1)
            }
        },
        .init("Laundry.EndMoved", "The wash takes longer, or less long.") { data in
            let endsAt = try data.moment("endsAt")
            let reason = try data.reason()
            return Report {
                $0.endsAt.offer(endsAt, at: $1)
                $0.reason.offer(reason, at: $1)
            }
        },
        .init("Laundry.WashFinished", "The drum stands still.") { _ in
            Report { $0.finishedAt = min($0.finishedAt ?? $1, $1) }
        },
    ]

    public static func phase(of state: LaundryState) -> Phase {
        if state.finishedAt != nil { return .ended }
        return state.endsAt == nil ? .scheduled : .live
    }

    public static func attributes(of state: LaundryState) -> LaundryAttributes {
        LaundryAttributes(machine: state.machine?.value ?? "Washing machine")
    }

    public static func contentState(of state: LaundryState) -> LaundryAttributes.ContentState {
        let end = state.finishedAt ?? state.endsAt?.value ?? Moment(unixSeconds: 0)
        return LaundryAttributes.ContentState(
            endsAt: end.dateToTheSecond, isDone: state.finishedAt != nil,
            note: state.reason?.value)
    }

    public static func presentation(
        attributes: LaundryAttributes, contentState: LaundryAttributes.ContentState
    ) -> Presentation {
        let clock = Presentation.Clock.countdown(to: Moment(contentState.endsAt))
        let status =
            contentState.isDone ? Presentation.Line("Done") : .init("Done in", clock: clock)
        return Presentation(
            title: attributes.machine, short: "Wash", status: status, note: contentState.note)
    }
}
