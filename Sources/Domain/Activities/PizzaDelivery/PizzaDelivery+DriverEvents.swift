extension PizzaDelivery {
    /// A driver takes the order; the newest assignment stands, whoever was assigned before.
    public struct DriverAssigned: EventPayload {
        public static let type = "PizzaDelivery.DriverAssigned"
        public static let fields: [EventField] = [
            .required("driverName", .text(bytesMax: Limits.nameBytesMax)), .estimatedAt,
        ]

        public let driverName: String
        public let estimatedAt: Moment?

        public init(_ fields: CheckedFields) throws {
            driverName = try fields.text("driverName")
            estimatedAt = try fields.optionalMoment("estimatedAt")
        }
    }

    /// Another driver takes over.
    public struct DriverReassigned: EventPayload {
        public static let type = "PizzaDelivery.DriverReassigned"
        public static let fields: [EventField] = [
            .required("driverName", .text(bytesMax: Limits.nameBytesMax)), .estimatedAt,
        ]

        public let driverName: String
        public let estimatedAt: Moment?

        public init(_ fields: CheckedFields) throws {
            driverName = try fields.text("driverName")
            estimatedAt = try fields.optionalMoment("estimatedAt")
        }
    }

    /// The driver left with the order.
    public struct OrderPickedUp: EventPayload {
        public static let type = "PizzaDelivery.OrderPickedUp"
        public static let fields = [EventField.estimatedAt]

        public let estimatedAt: Moment?

        public init(_ fields: CheckedFields) throws {
            estimatedAt = try fields.optionalMoment("estimatedAt")
        }
    }

    /// How far the driver has to go. Coordinates are not taken: a card has no map.
    public struct DriverLocated: EventPayload {
        public static let type = "PizzaDelivery.DriverLocated"
        public static let fields: [EventField] = [
            .required("distanceMeters", .integer(0...Limits.distanceMetersMax)), .estimatedAt,
        ]

        public let distanceMeters: Int
        public let estimatedAt: Moment?

        public init(_ fields: CheckedFields) throws {
            distanceMeters = try fields.integer("distanceMeters")
            estimatedAt = try fields.optionalMoment("estimatedAt")
        }
    }

    /// The driver is about to ring.
    public struct DriverArriving: EventPayload {
        public static let type = "PizzaDelivery.DriverArriving"
        public static let fields = [EventField.estimatedAt]

        public let estimatedAt: Moment?

        public init(_ fields: CheckedFields) throws {
            estimatedAt = try fields.optionalMoment("estimatedAt")
        }
    }
}
