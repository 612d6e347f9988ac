public import Foundation

/// What never changes about a pizza order on a phone.
public struct PizzaDeliveryAttributes: CardAttributes {
    public static let kind = "PizzaDelivery"

    /// What the card shows. The first two members are always present, so an app built with them
    /// alone decodes every state; everything else is optional and additive.
    public struct ContentState: Codable, Hashable, Sendable {
        /// The driver, or `unknownDriver` while nobody is assigned.
        @ByBytes public var driverName: String
        /// From when the order was placed to when it is expected, or to when it ended. Lower and
        /// upper bound are equal while no estimate is known.
        public var deliveryTimer: ClosedRange<Date>
        public var stage: PizzaDelivery.Stage?
        /// The merchant's reason for the newest estimate or for the ending.
        @ByBytes public var note: String?
        /// How far away the driver is, to the nearest 100 m; only while on the way.
        public var distanceMeters: Int?

        @inlinable public init(
            driverName: String, deliveryTimer: ClosedRange<Date>,
            stage: PizzaDelivery.Stage? = nil, note: String? = nil, distanceMeters: Int? = nil
        ) {
            self.driverName = driverName
            self.deliveryTimer = deliveryTimer
            self.stage = stage
            self.note = note
            self.distanceMeters = distanceMeters
        }

        /// Reads well where an app that knows only names says "… is on the way".
        public static let unknownDriver = "Your driver"
    }

    public var numberOfPizzas: Int
    /// With its currency, as the merchant writes it.
    @ByBytes public var totalAmount: String
    @ByBytes public var orderNumber: String
    @ByBytes public var activityID: String?

    public init(numberOfPizzas: Int, totalAmount: String, orderNumber: String) {
        self.numberOfPizzas = numberOfPizzas
        self.totalAmount = totalAmount
        self.orderNumber = orderNumber
    }
}
