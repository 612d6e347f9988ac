import Domain
import EventLoop
import EventStore
import Terminal

/// Looks again and again at what the database knows of all nodes together, for metrics.
actor FleetWatch {
    private let store: EventStore
    private let meters: NodeMeters
    private let log: Log
    private var clock = DatabaseClock()
    private var last: (facts: FleetFacts, at: ContinuousClock.Instant)?

    init(store: EventStore, meters: NodeMeters, log: Log) {
        self.store = store
        self.meters = meters
        self.log = log
    }

    private static let intervalSeconds: Double = 5
    /// What is older says nothing of now.
    private static let staleSeconds: Double = 20

    /// Runs until its task is cancelled. What fails, health and the log tell of.
    func run() async {
        while !Task.isCancelled {
            await look()
            try? await Task.sleep(for: .seconds(Self.intervalSeconds))
        }
    }

    func look() async {
        let before = WallClock.now()
        guard let facts = try? await store.lookAtFleet() else { return }
        let after = WallClock.now()
        last = (facts, .now)
        clock.note(behindSeconds: facts.clockBehindSeconds, in: log)
        // The clock was read early in the call; half of it is as good a guess as any.
        let trip = after.seconds(since: before)
        let ahead = after.seconds(since: facts.time) - trip / 2
        meters.clockAheadSeconds.withLock { $0 = abs(ahead) > trip ? ahead : 0 }
    }

    /// Nil while the database does not say.
    var facts: FleetFacts? {
        guard let last, .now - last.at < .seconds(Self.staleSeconds) else { return nil }
        return last.facts
    }
}
