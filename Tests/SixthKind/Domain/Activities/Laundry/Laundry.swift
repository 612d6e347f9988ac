public import Domain

/// A washing machine at work.
public enum Laundry {
    /// A wash began. Sent again, the newest stands.
    public struct WashStarted: EventPayload {
        public static let type = "Laundry.WashStarted"
        public static let fields: [EventField] = [
            .required("machine", .text(bytesMax: Limits.nameBytesMax)),
            .required("endsAt", .moment),
        ]

        public let machine: String
        public let endsAt: Moment
    }

    /// The wash takes longer, or less long.
    public struct EndMoved: EventPayload {
        public static let type = "Laundry.EndMoved"
        public static let fields: [EventField] = [.required("endsAt", .moment), .reason]

        public let endsAt: Moment
        public let reason: String?
    }

    /// The drum stands still.
    public struct WashFinished: EventPayload {
        public static let type = "Laundry.WashFinished"
        public static let fields: [EventField] = []
    }

    public enum Event: Hashable, Sendable {
        case washStarted(WashStarted)
        case endMoved(EndMoved)
        case washFinished(WashFinished)
    }

    public static let schemas: [EventSchema<Event>] = [
        EventSchema(WashStarted.self) { .washStarted($0) },
        EventSchema(EndMoved.self) { .endMoved($0) },
        EventSchema(WashFinished.self) { .washFinished($0) },
    ]
}
