public import Domain
public import Foundation

/// What never changes about a wash on a phone. In the app it conforms to `ActivityAttributes`.
public struct LaundryAttributes: Codable, Hashable, Sendable {
    /// What the card shows. Members of later releases are optional.
    public struct ContentState: Codable, Hashable, Sendable {
        public var endsAt: Date
        public var isDone: Bool
        @ByBytes public var note: String?

        public init(endsAt: Date, isDone: Bool, note: String? = nil) {
            self.endsAt = endsAt
            self.isDone = isDone
            self.note = note
        }
    }

    @ByBytes public var machine: String
    /// Id of the activity, for the app that registers a card's push token; set where a push has
    /// started the card.
    @ByBytes public var activityID: String?

    public init(machine: String) {
        self.machine = machine
    }
}
