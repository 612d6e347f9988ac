public import Foundation

/// What never changes about a bike ride on a phone.
public struct OrderAttributes: CardAttributes {
    public static let kind = "BikeRide"

    /// What the card shows. The first member is always present, so an app built with it alone
    /// decodes every state; everything else is optional and additive.
    public struct ContentState: Codable, Hashable, Sendable {
        /// Stays `cycling` while the bicycle stands and when the ride is over.
        public var status: BikeRide.Status
        /// Nil before the bicycle is unlocked.
        public var stage: BikeRide.Stage?
        /// When the time in the saddle would have been 0:00, so that the phone counts by itself;
        /// nil while the bicycle stands.
        public var rideClock: Date?
        /// Seconds in the saddle, pauses left out; nil while the clock runs and before the ride.
        public var riddenSeconds: Int?
        /// What the ride costs so far, with its currency.
        @ByBytes public var fare: String?
        /// Why the ride ended as it did.
        @ByBytes public var note: String?

        public init(
            status: BikeRide.Status = .unstarted, stage: BikeRide.Stage? = nil,
            rideClock: Date? = nil, riddenSeconds: Int? = nil, fare: String? = nil,
            note: String? = nil
        ) {
            self.status = status
            self.stage = stage
            self.rideClock = rideClock
            self.riddenSeconds = riddenSeconds
            self.fare = fare
            self.note = note
        }
    }

    public var orderNumber: Int
    /// What is written on the bicycle.
    @ByBytes public var bikeName: String?
    @ByBytes public var activityID: String?

    public init(orderNumber: Int, bikeName: String? = nil) {
        self.orderNumber = orderNumber
        self.bikeName = bikeName
    }
}
