import Domain

/// What becomes of one request besides Apple's own answer.
struct RequestFate: Hashable, Sendable {
    /// Until it is looked at.
    var delaySeconds = 0.0
    /// Instead of an acceptance.
    var refusal: APNsRefusal?
    var loss: Fault.Loss?
    /// A request that gets no answer may have been taken anyway.
    var isTaken = true
    /// Its connection gets a GOAWAY for this reason.
    var farewell: APNsRefusal?
    var abandons = false

    static let plain = RequestFate()
}

/// All faults that were asked for, as a value: which of them are in force, and whom they meet.
struct FaultMachine: Sendable {
    struct Planned: Sendable {
        /// Tells it from an equal one.
        let number: Int
        var fault: Fault
        var beginsAt: Moment
        var endsAt: Moment?
        var hasBegun = false
    }

    enum Change: Sendable {
        case struck(Fault.Blow, share: Double)
        case began(Fault.Condition, share: Double, number: Int)
        case ended(Fault.Condition, number: Int)
    }

    /// Those to come and those in force, in the order they were asked for.
    private(set) var planned: [Planned] = []
    private var plannedCount = 0
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// When one begins or ends next.
    var nextDue: Moment? {
        planned.lazy.compactMap { $0.hasBegun ? $0.endsAt : $0.beginsAt }.min()
    }

    mutating func plan(_ fault: Fault, now: Moment) {
        let beginsAt = now.adding(seconds: fault.afterSeconds)
        plannedCount += 1
        planned.append(
            Planned(
                number: plannedCount, fault: fault, beginsAt: beginsAt,
                endsAt: fault.forSeconds.map { beginsAt.adding(seconds: $0) }))
    }

    /// Ends what is in force and forgets what was to come.
    mutating func clear() -> [Change] {
        let over = planned
        planned = []
        return over.compactMap { $0.hasBegun ? $0.end : nil }
    }

    /// What begins and what ends by now, oldest first.
    mutating func settle(at now: Moment) -> [Change] {
        var changes: [Change] = []
        while let due = nextDue, due <= now {
            // At one moment the old ends before the new begins.
            if let index = planned.firstIndex(where: { $0.hasBegun && $0.endsAt == due }) {
                changes += [planned.remove(at: index).end].compactMap(\.self)
            } else if let index = planned.firstIndex(where: {
                !$0.hasBegun && $0.beginsAt == due
            }) {
                planned[index].hasBegun = true
                let (fault, number) = (planned[index].fault, planned[index].number)
                switch fault.what {
                case .blow(let blow):
                    planned.remove(at: index)
                    changes.append(.struck(blow, share: fault.share))
                case .condition(let condition):
                    changes.append(.began(condition, share: fault.share, number: number))
                }
            }
        }
        return changes
    }

    /// Draws lots for one request.
    mutating func fate(of service: APNsService) -> RequestFate {
        var fate = RequestFate.plain
        for planned in planned where planned.hasBegun {
            guard case .condition(let condition) = planned.fault.what, condition.meetsRequests,
                meets(planned.fault.share)
            else { continue }
            switch condition {
            case .delay(let latency): fate.delaySeconds += latency.sample(&random)
            case .answer(let reason, let of) where of == service: fate.refusal = reason
            case .lose(let loss):
                fate.loss = loss
                fate.isTaken = loss != .refusedStream && Bool.random(using: &random)
            case .goAway(let reason, let abandons):
                (fate.farewell, fate.abandons) = (reason, abandons)
            default: break
            }
        }
        return fate
    }

    /// Draws lots for one request or phone.
    mutating func meets(_ share: Double) -> Bool {
        share >= 1 || Double.random(in: 0..<1, using: &random) < share
    }

    /// The newest in force.
    func newest<R>(_ value: (Fault.Condition) -> R?) -> R? {
        for planned in planned.reversed() where planned.hasBegun {
            if case .condition(let condition) = planned.fault.what, let found = value(condition) {
                return found
            }
        }
        return nil
    }
}

extension FaultMachine.Planned {
    fileprivate var end: FaultMachine.Change? {
        if case .condition(let condition) = fault.what {
            .ended(condition, number: number)
        } else {
            nil
        }
    }
}

extension Fault.Condition {
    fileprivate var meetsRequests: Bool {
        switch self {
        case .delay, .answer, .lose, .goAway: true
        case .streams, .readRate, .apnsClock, .phoneClock, .environment, .away: false
        }
    }
}
