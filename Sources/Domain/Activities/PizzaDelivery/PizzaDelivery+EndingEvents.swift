extension PizzaDelivery {
    /// The customer has the order.
    public struct OrderDelivered: EventPayload {
        public static let type = "PizzaDelivery.OrderDelivered"
        public static let fields: [EventField] = []
    }

    /// Customer or merchant called it off.
    public struct OrderCancelled: EventPayload {
        public static let type = "PizzaDelivery.OrderCancelled"
        public static let fields = [EventField.reason]

        public let reason: String?

        public init(_ fields: CheckedFields) throws {
            reason = try fields.optionalText("reason")
        }
    }

    /// The driver could not hand it over.
    public struct DeliveryFailed: EventPayload {
        public static let type = "PizzaDelivery.DeliveryFailed"
        public static let fields = [EventField.reason]

        public let reason: String?

        public init(_ fields: CheckedFields) throws {
            reason = try fields.optionalText("reason")
        }
    }
}
