public import Domain
public import EventStore

/// Looks again and again how far all checkpoints are behind, and whether the clock has come by, for
/// metrics and the log.
///
/// It asks the database, so every node sees a projector that hangs, wherever it runs.
public actor LagWatch {
    public enum Diagnostic: Hashable, Sendable {
        case lag(LagMonitor.Diagnostic)
        case clock(ClockMonitor.Diagnostic)
        case store(EventStoreError)
    }

    /// What the last look found, of all nodes alike.
    public struct Facts: Hashable, Sendable {
        /// Events that wait to be folded, of all tenants.
        public var events: Int64
        /// How long the oldest of them has waited.
        public var seconds: Double
        /// Tenants whose checkpoint stands still, by what has waited longest.
        public var stalled: [ProjectionLag]
        /// The tenants that are furthest behind, likewise; a few.
        public var worst: [ProjectionLag]
        /// What is due and nobody brings about; nil while the clock runs.
        public var clockStalledAt: DueActivity.Place?
    }

    private let store: EventStore
    private let secondsMax: Double
    private let report: @Sendable (Diagnostic) -> Void
    private let now: @Sendable () async throws(EventStoreError) -> Moment
    private var monitor: LagMonitor
    private var clock: ClockMonitor
    private var lags: [ProjectionLag] = []
    private var lastLook: ContinuousClock.Instant?

    /// - Parameters:
    ///   - secondsMax: how long an event may wait for a checkpoint that stands still, and what is
    ///     due for a clock that does.
    ///   - now: what the clock that is watched goes by.
    ///   - report: called once when one begins to and once when it moves again.
    public init(
        store: EventStore, secondsMax: Double,
        now: @escaping @Sendable () async throws(EventStoreError) -> Moment,
        report: @escaping @Sendable (Diagnostic) -> Void
    ) {
        self.store = store
        self.now = now
        self.secondsMax = secondsMax
        self.report = report
        monitor = LagMonitor(secondsMax: secondsMax)
        clock = ClockMonitor(secondsMax: secondsMax)
    }

    private var intervalSeconds: Double {
        min(max(secondsMax / 4, Limits.lagLookSecondsMin), Limits.lagLookSecondsMax)
    }

    /// Runs until its task is cancelled.
    public func run() async {
        while !Task.isCancelled {
            await look()
            try? await Task.sleep(for: .milliseconds(Int64(intervalSeconds * 1000)))
        }
    }

    public func look() async {
        do {
            let lags = try await store.upkeep.lags()
            let moment = try await now()
            let due = try await store.clock.due(moment, nil, 1).first?.place
            (self.lags, lastLook) = (lags, .now)
            for diagnostic in monitor.observe(lags) { report(.lag(diagnostic)) }
            if let diagnostic = clock.observe(due, at: moment) { report(.clock(diagnostic)) }
        } catch {
            if !Task.isCancelled { report(.store(error)) }
        }
    }

    /// Nil once the database has not answered for as long as a few looks take at most, however
    /// often this one looks.
    public var facts: Facts? { facts(at: .now) }

    func facts(at moment: ContinuousClock.Instant) -> Facts? {
        guard let lastLook,
            moment - lastLook < .seconds(Limits.lagLooksMissed * Limits.lagLookSecondsMax)
        else { return nil }
        return Facts(
            events: lags.reduce(0) { $0 + $1.events },
            seconds: lags.map(\.waitedSeconds).max() ?? 0,
            stalled: Self.byWaiting(Array(monitor.stalled.values)),
            worst: Array(Self.byWaiting(lags).prefix(Limits.worstLagsMax)),
            clockStalledAt: clock.stalled)
    }

    private static func byWaiting(_ lags: [ProjectionLag]) -> [ProjectionLag] {
        lags.sorted { ($1.waitedSeconds, $0.tenant) < ($0.waitedSeconds, $1.tenant) }
    }
}
