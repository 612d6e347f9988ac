/// What became lately of one kind of call, and whether the node can go on with it. Pure.
///
/// One failure says little: a deadlock, a primary that is replaced. Nothing but failures for a
/// while says that the node is of no use for it.
public struct CallHistory: Sendable {
    public struct Failure: Sendable {
        public var at: ContinuousClock.Instant
        public var error: EventStoreError
    }

    public private(set) var lastSuccess: ContinuousClock.Instant?
    /// Of the last call, when that failed.
    public private(set) var lastFailure: Failure?
    /// When the first failed of those that have done nothing but fail since.
    public private(set) var failingSince: ContinuousClock.Instant?
    public private(set) var counts: [CallResult: UInt64] = [:]

    public init() {}

    /// - Parameter error: nil when it was carried out.
    public mutating func note(_ error: EventStoreError?, at now: ContinuousClock.Instant) {
        counts[CallResult(error), default: 0] += 1
        // The database did its part, and all nodes of this version would fare alike.
        noteProbe(error == .oldProgram ? nil : error, at: now)
    }

    /// The same for a call that was made only to find out.
    public mutating func noteProbe(_ error: EventStoreError?, at now: ContinuousClock.Instant) {
        // A tenant that moves is turned down by a database that works.
        guard let error, CallResult(error) != .ok else {
            (lastSuccess, lastFailure, failingSince) = (now, nil, nil)
            return
        }
        if CallResult(error) == .overloaded { return }
        lastFailure = Failure(at: now, error: error)
        if failingSince == nil { failingSince = now }
    }

    /// What was called is another store now, of which nothing is known. Figures go on.
    public mutating func beginAgain() {
        (lastSuccess, lastFailure, failingSince) = (nil, nil, nil)
    }

    /// Nobody knows whether the next call will work: the last one failed, or there was none.
    public var isInDoubt: Bool { lastFailure != nil || lastSuccess == nil }

    /// Why the node is not to be sent what needs such calls; nil when it is.
    public func complaint(at now: ContinuousClock.Instant) -> EventStoreError? {
        guard let lastFailure, let failingSince else { return nil }
        // A node that never did it has nothing to be patient for.
        if lastSuccess == nil || now - failingSince >= .seconds(Limits.failingSecondsMax) {
            return lastFailure.error
        }
        return nil
    }
}
