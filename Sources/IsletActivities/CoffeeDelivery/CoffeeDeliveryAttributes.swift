public import Foundation

/// What never changes about a coffee order on a phone.
public struct CoffeeDeliveryAttributes: CardAttributes {
    public static let kind = "CoffeeDelivery"

    /// What the card shows. The first member is always present, so an app built with it alone
    /// decodes every state; everything else is optional and additive.
    public struct ContentState: Codable, Hashable, Sendable {
        /// Stays at its last step when the order has ended.
        public var currentStatus: CoffeeDelivery.Status
        /// Nil while the order is not over.
        public var outcome: CoffeeDelivery.Outcome?
        /// Nil while nobody has said, and after the end.
        public var estimatedAt: Date?
        /// The café's reason for the newest estimate or for the ending.
        @ByBytes public var note: String?

        public init(
            currentStatus: CoffeeDelivery.Status, outcome: CoffeeDelivery.Outcome? = nil,
            estimatedAt: Date? = nil, note: String? = nil
        ) {
            self.currentStatus = currentStatus
            self.outcome = outcome
            self.estimatedAt = estimatedAt
            self.note = note
        }
    }

    @ByBytes public var coffeeName: String
    @ByBytes public var activityID: String?

    public init(coffeeName: String) {
        self.coffeeName = coffeeName
    }
}
