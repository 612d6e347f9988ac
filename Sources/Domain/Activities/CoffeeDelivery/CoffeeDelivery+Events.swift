extension CoffeeDelivery {
    /// The customer ordered. Sent again, the newest stands.
    public struct OrderReceived: EventPayload {
        public static let type = "CoffeeDelivery.OrderReceived"
        public static let fields: [EventField] = [
            .required("coffeeName", .text(bytesMax: Limits.nameBytesMax)), .estimatedAt,
        ]

        public let coffeeName: String
        public let estimatedAt: Moment?

        public init(_ fields: CheckedFields) throws {
            coffeeName = try fields.text("coffeeName")
            estimatedAt = try fields.optionalMoment("estimatedAt")
        }
    }

    /// The barista began.
    public struct BrewingStarted: EventPayload {
        public static let type = "CoffeeDelivery.BrewingStarted"
        public static let fields = [EventField.estimatedAt]

        public let estimatedAt: Moment?

        public init(_ fields: CheckedFields) throws {
            estimatedAt = try fields.optionalMoment("estimatedAt")
        }
    }

    /// The coffee is out for delivery.
    public struct CourierLeft: EventPayload {
        public static let type = "CoffeeDelivery.CourierLeft"
        public static let fields = [EventField.estimatedAt]

        public let estimatedAt: Moment?

        public init(_ fields: CheckedFields) throws {
            estimatedAt = try fields.optionalMoment("estimatedAt")
        }
    }

    /// The expected time of arrival changed.
    public struct EstimateRevised: EventPayload {
        public static let type = "CoffeeDelivery.EstimateRevised"
        public static let fields: [EventField] = [
            .required("estimatedAt", .moment), .reason,
        ]

        public let estimatedAt: Moment
        public let reason: String?

        public init(_ fields: CheckedFields) throws {
            estimatedAt = try fields.moment("estimatedAt")
            reason = try fields.optionalText("reason")
        }
    }

    /// The customer has the coffee.
    public struct CoffeeDelivered: EventPayload {
        public static let type = "CoffeeDelivery.CoffeeDelivered"
        public static let fields: [EventField] = []
    }

    /// Customer or café called it off.
    public struct OrderCancelled: EventPayload {
        public static let type = "CoffeeDelivery.OrderCancelled"
        public static let fields = [EventField.reason]

        public let reason: String?

        public init(_ fields: CheckedFields) throws {
            reason = try fields.optionalText("reason")
        }
    }
}
