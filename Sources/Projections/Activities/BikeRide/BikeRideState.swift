public import Domain

/// What the fold remembers about a ride.
public struct BikeRideState: Codable, Hashable, Sendable {
    /// What the bicycle did from a moment on.
    public enum Motion: String, Codable, Sendable, CaseIterable {
        case riding, paused
    }

    /// What the rider chose.
    public struct Order: Codable, Hashable, Sendable {
        let orderNumber: Int
        let bikeName: String?

        init(_ data: inout EventData) throws {
            orderNumber = try data.integer("orderNumber", in: 1...Limits.orderNumberMax)
            bikeName = try data.optionalName("bikeName")
        }
    }

    /// How the ride ended.
    public struct Ending: Codable, Hashable, Sendable {
        public var reason: String?
    }

    /// Time in the saddle.
    enum Ridden: Hashable {
        /// Counted from this moment, and counting.
        case since(Moment)
        case seconds(Int)
    }

    public var order: Latest<Order>?
    public var isUnlocked = false
    /// By the microsecond since 1970 at which it began.
    public var motions = FactSet<Int, Motion>()
    public var fare: Latest<String>?
    public var ending: Latest<Ending>?
    /// True once anything is known.
    public var isKnown = false

    public var status: BikeRide.Status { motions.isEmpty ? .unstarted : .cycling }

    public var stage: BikeRide.Stage? {
        if ending != nil { return .ended }
        switch motions.values.max(by: { $0.at < $1.at })?.value {
        case .riding: return .riding
        case .paused: return .paused
        case nil: return isUnlocked ? .unlocked : nil
        }
    }

    /// Nil before the first motion. Pauses are left out, and whatever came after the end.
    var ridden: Ridden? {
        guard !motions.isEmpty else { return nil }
        var seconds = 0.0
        var ridingSince: Moment?
        for motion in motions.values.sorted(by: { $0.at < $1.at }) {
            if let ending, motion.at >= ending.at { break }
            switch motion.value {
            case .riding: ridingSince = ridingSince ?? motion.at
            case .paused:
                seconds += ridingSince.map { motion.at.seconds(since: $0) } ?? 0
                ridingSince = nil
            }
        }
        guard let ridingSince else { return .seconds(Int(seconds)) }
        if let ending { return .seconds(Int(seconds + ending.at.seconds(since: ridingSince))) }
        return .since(ridingSince.adding(seconds: -seconds))
    }
}
