extension BikeRide {
    /// The rider chose a bicycle. Sent again, the newest stands.
    public struct BikeOrdered: EventPayload {
        public static let type = "BikeRide.BikeOrdered"
        public static let fields: [EventField] = [
            .required("orderNumber", .integer(1...Limits.orderNumberMax)),
            .optional("bikeName", .text(bytesMax: Limits.nameBytesMax)),
        ]

        public let orderNumber: Int
        public let bikeName: String?

        public init(_ fields: CheckedFields) throws {
            orderNumber = try fields.integer("orderNumber")
            bikeName = try fields.optionalText("bikeName")
        }
    }

    /// The lock is open; the fare does not run yet.
    public struct BikeUnlocked: EventPayload {
        public static let type = "BikeRide.BikeUnlocked"
        public static let fields: [EventField] = []
    }

    /// The wheels turn for the first time.
    public struct RideStarted: EventPayload {
        public static let type = "BikeRide.RideStarted"
        public static let fields: [EventField] = []
    }

    /// The bicycle is locked for a while and stays hired.
    public struct RidePaused: EventPayload {
        public static let type = "BikeRide.RidePaused"
        public static let fields: [EventField] = []
    }

    /// The ride goes on.
    public struct RideResumed: EventPayload {
        public static let type = "BikeRide.RideResumed"
        public static let fields: [EventField] = []
    }

    /// What the ride costs so far, or after a correction in the end.
    public struct FareUpdated: EventPayload {
        public static let type = "BikeRide.FareUpdated"
        public static let fields: [EventField] = [
            .required("fare", .text(bytesMax: Limits.amountBytesMax))
        ]

        /// With its currency, as the merchant writes it.
        public let fare: String

        public init(_ fields: CheckedFields) throws {
            fare = try fields.text("fare")
        }
    }

    /// The bicycle was given back, or the ride never took place and `reason` says why.
    public struct RideEnded: EventPayload {
        public static let type = "BikeRide.RideEnded"
        public static let fields: [EventField] = [
            .optional("fare", .text(bytesMax: Limits.amountBytesMax)), .reason,
        ]

        /// With its currency, as the merchant writes it.
        public let fare: String?
        public let reason: String?

        public init(_ fields: CheckedFields) throws {
            fare = try fields.optionalText("fare")
            reason = try fields.optionalText("reason")
        }
    }
}
