public import Domain

/// What the fold remembers about an order.
public struct PizzaDeliveryState: DelayedState, Codable, Hashable, Sendable {
    /// What cards have shown. That goes by the order in which reports came, so it is no fact: the
    /// facts are the same in any order, and the rest of the state is made of them alone.
    public struct Shown: Codable, Hashable, Sendable {
        /// The latest arrival since the order was last in time, under the promise that stands: a
        /// delay is news once, not each time that an estimate swings back to it.
        public var worstEstimate: Moment
    }

    /// How the order ended.
    public struct Ending: Codable, Hashable, Sendable {
        public var reason: String?
    }

    public var order: Latest<PizzaDelivery.Order>?
    /// The earliest time of any report: stands in for the time of ordering until that is known.
    public var firstReportAt: Moment?
    /// The furthest stage reported.
    public var stage: PizzaDelivery.Stage = .placed
    /// For the stage that it belongs to; a weaker ending is forgotten.
    public var ending: Latest<Ending>?
    public var driverName: Latest<String>?
    /// Since when the arrival that the order promises stands.
    public var promised: LastingValue<Moment>?
    /// The newest arrival that something else than an order has reported.
    public var revision: Latest<Estimate>?
    public var distanceMeters: Latest<Int>?
    /// Nil before the first estimate.
    public var shown: Shown?

    /// The newest of all: the promise that stands counts from when it was made, and one that was
    /// put back from then.
    public var estimate: Latest<Estimate>? {
        guard let order else { return revision }
        var newest = revision
        newest.offer(
            Estimate(deliveryAt: order.value.promisedAt), at: promised?.since ?? order.at)
        return newest
    }

    /// What was promised.
    public var countedOn: Moment? { order?.value.promisedAt }

    public var worstEstimate: Moment? { shown?.worstEstimate }
}
