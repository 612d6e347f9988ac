extension PizzaDelivery {
    /// The customer ordered. Its time is when the card's countdown begins.
    public struct OrderPlaced: EventPayload {
        public static let type = "PizzaDelivery.OrderPlaced"
        public static let fields: [EventField] = [
            .required("orderNumber", .text(bytesMax: Limits.referenceBytesMax)),
            .required("numberOfPizzas", .integer(1...Limits.pizzasMax)),
            .required("totalAmount", .text(bytesMax: Limits.amountBytesMax)),
            .required("promisedAt", .moment),
        ]

        public let orderNumber: String
        public let numberOfPizzas: Int
        /// With its currency, as the merchant writes it.
        public let totalAmount: String
        /// When the customer was told that it would arrive.
        public let promisedAt: Moment

        public init(_ fields: CheckedFields) throws {
            orderNumber = try fields.text("orderNumber")
            numberOfPizzas = try fields.integer("numberOfPizzas")
            totalAmount = try fields.text("totalAmount")
            promisedAt = try fields.moment("promisedAt")
        }
    }

    /// The merchant took the order on.
    public struct OrderAccepted: EventPayload {
        public static let type = "PizzaDelivery.OrderAccepted"
        public static let fields = [EventField.estimatedAt]

        public let estimatedAt: Moment?

        public init(_ fields: CheckedFields) throws {
            estimatedAt = try fields.optionalMoment("estimatedAt")
        }
    }

    /// The kitchen began.
    public struct PreparationStarted: EventPayload {
        public static let type = "PizzaDelivery.PreparationStarted"
        public static let fields = [EventField.estimatedAt]

        public let estimatedAt: Moment?

        public init(_ fields: CheckedFields) throws {
            estimatedAt = try fields.optionalMoment("estimatedAt")
        }
    }

    /// The order waits for its driver.
    public struct OrderReady: EventPayload {
        public static let type = "PizzaDelivery.OrderReady"
        public static let fields = [EventField.estimatedAt]

        public let estimatedAt: Moment?

        public init(_ fields: CheckedFields) throws {
            estimatedAt = try fields.optionalMoment("estimatedAt")
        }
    }

    /// The expected time of arrival changed.
    public struct EstimateRevised: EventPayload {
        public static let type = "PizzaDelivery.EstimateRevised"
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
}
