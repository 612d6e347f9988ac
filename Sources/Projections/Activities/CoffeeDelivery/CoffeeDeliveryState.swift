public import Domain

/// What the fold remembers about a coffee order.
public struct CoffeeDeliveryState: Codable, Hashable, Sendable {
    /// An expected arrival, with the café's reason when it moved.
    public struct Estimate: Codable, Hashable, Sendable {
        public var deliveryAt: Moment
        public var reason: String?
    }

    /// What cards have shown. That goes by the order in which reports came, so it is no fact.
    public struct Shown: Codable, Hashable, Sendable {
        /// The arrival that people count on: the first since they ordered, or an earlier one.
        public var countedOn: Moment
        /// The latest arrival since then: a delay is news once, not each time that an estimate
        /// swings back to it.
        public var worstEstimate: Moment
        /// What they counted on until an earlier arrival was reported.
        public var former: Former?

        /// What is known again if that report is put right at once.
        public struct Former: Codable, Hashable, Sendable {
            /// As in `Shown`.
            public var countedOn: Moment
            /// As in `Shown`.
            public var worstEstimate: Moment
            /// When an earlier arrival was reported first: trackers report every few seconds.
            public var until: Moment
        }

        /// What people count on as long as an earlier arrival may be put right at once: it was
        /// hardly seen, and not at all if both were reported together.
        func former(at moment: Moment) -> Former? {
            former.flatMap {
                moment.seconds(since: $0.until) < Limits.countedOnSecondsMin ? $0 : nil
            }
        }
    }

    /// How the order ended, and why.
    public struct Ending: Codable, Hashable, Sendable {
        public var outcome: CoffeeDelivery.Outcome
        public var reason: Latest<String?>
    }

    public var coffeeName: Latest<String>?
    /// What the newest order with an arrival said of it.
    public var orderedFor: Latest<Moment>?
    /// Since when that stands.
    public var ordered: Standing<Moment>?
    /// The furthest one reported.
    public var status: CoffeeDelivery.Status = .received
    /// The newest arrival that something else than an order has reported.
    public var revision: Latest<Estimate>?
    /// The hardest one reported.
    public var ending: Ending?
    /// True once anything is known.
    public var isKnown = false
    /// Nil before the first estimate.
    public var shown: Shown?

    /// The newest of all: what the order says counts from when it was first ordered so or put back.
    public var estimate: Latest<Estimate>? {
        guard let orderedFor else { return revision }
        var newest = revision
        newest.offer(
            Estimate(deliveryAt: orderedFor.value), at: ordered?.since ?? orderedFor.at)
        return newest
    }

    /// How much later it is expected than people count on; 0 when in time.
    public var delaySeconds: Double {
        guard let estimate, let shown else { return 0 }
        return max(0, estimate.value.deliveryAt.seconds(since: shown.countedOn))
    }

    /// How much later it was expected at the worst; 0 when it always was in time.
    public var worstDelaySeconds: Double {
        shown.map { max(0, $0.worstEstimate.seconds(since: $0.countedOn)) } ?? 0
    }
}
