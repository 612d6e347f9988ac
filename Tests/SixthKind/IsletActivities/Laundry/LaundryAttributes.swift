public import Domain
public import Foundation

/// What never changes about a wash on a phone.
public struct LaundryAttributes: CardAttributes {
    public static let kind = "Laundry"

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
    @ByBytes public var activityID: String?

    public init(machine: String) {
        self.machine = machine
    }
}
