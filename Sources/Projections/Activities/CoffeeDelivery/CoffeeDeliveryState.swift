public import Domain

/// What the fold remembers about a coffee order.
public struct CoffeeDeliveryState: DelayedState, Codable, Hashable, Sendable {
    /// What cards have shown. That goes by the order in which reports came, so it is no fact.
    public struct Shown: Codable, Hashable, Sendable {
        /// The arrival that people count on: of their newest order, or an earlier one that stood
        /// for a minute.
        public var countedOn: Moment
        /// The latest arrival since then: a delay is news once, not each time that an estimate
        /// swings back to it.
        public var worstEstimate: Moment
        /// Arrivals that have not stood for so long, the latest first; nil when there are none.
        public var earlier: [Earlier]?

        /// An earlier arrival, which may be put right at once: then it was hardly seen, and not at
        /// all if both were reported together.
        public struct Earlier: Codable, Hashable, Sendable {
            public var deliveryAt: Moment
            /// Since when no later one was reported: trackers report every few seconds.
            public var since: Moment
        }

        /// What they show once another arrival is reported. A customer who sees for a minute that
        /// it comes earlier counts on that from then on. What is farther off than a card lives was
        /// a mistake, and is forgotten once it is put right; so is one that was over when it was
        /// made.
        func followed(by deliveryAt: Moment, at moment: Moment) -> Shown {
            var next = self
            var earlier = self.earlier ?? []
            let stood = earlier.last {
                moment.seconds(since: $0.since) >= Limits.countedOnSecondsMin
            }
            if let stood {
                (next.countedOn, next.worstEstimate) = (stood.deliveryAt, stood.deliveryAt)
            }
            guard next.countedOn.seconds(since: deliveryAt) <= Limits.liveSecondsMax else {
                return Shown(countedOn: deliveryAt, worstEstimate: deliveryAt)
            }
            let since = earlier.first { $0.deliveryAt <= deliveryAt }?.since ?? moment
            earlier.removeAll { $0.deliveryAt <= deliveryAt || $0.deliveryAt >= next.countedOn }
            if deliveryAt < next.countedOn, deliveryAt >= moment {
                earlier.append(Earlier(deliveryAt: deliveryAt, since: since))
            }
            if earlier.count > Limits.earlierArrivalsMax { earlier.remove(at: earlier.count - 2) }
            next.earlier = earlier.isEmpty ? nil : earlier
            let wasMistaken =
                next.worstEstimate.seconds(since: deliveryAt) > Limits.liveSecondsMax
            next.worstEstimate = max(deliveryAt, wasMistaken ? next.countedOn : next.worstEstimate)
            return next
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
    public var ordered: LastingValue<Moment>?
    /// The furthest one reported.
    public var status: CoffeeDelivery.Status = .received
    /// The newest arrival that something else than an order has reported.
    public var revision: Latest<Estimate>?
    /// The first of those.
    public var firstRevision: Earliest<Moment>?
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

    /// The arrival that came with the order; if none did, the first that anything else reported.
    public var promisedAt: Moment? { orderedFor?.value ?? firstRevision?.value }

    public var countedOn: Moment? { shown?.countedOn }

    public var worstEstimate: Moment? { shown?.worstEstimate }
}
