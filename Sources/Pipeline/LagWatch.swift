public import Domain
public import EventStore

/// Looks again and again how far all checkpoints are behind, and whether the clock has come by, for
/// health checks and the log.
///
/// It asks the database, so every node sees a follower that is wedged, wherever it runs.
public actor LagWatch {
    public enum Notice: Hashable, Sendable {
        case lag(LagMonitor.Notice)
        case clock(ClockMonitor.Notice)
        case store(EventStoreError)
    }

    public enum Health: Hashable, Sendable {
        case well(String)
        case unwell(String)
    }

    private let store: EventStore
    private let secondsMax: Double
    private let report: @Sendable (Notice) -> Void
    private let now: @Sendable () -> Moment
    private var monitor: LagMonitor
    private var clock: ClockMonitor
    private var lastLook: ContinuousClock.Instant?

    /// - Parameters:
    ///   - secondsMax: how long an event may wait for a checkpoint that stands still, and what is
    ///     due for a clock that does.
    ///   - report: told once when one begins to and once when it moves again.
    public init(
        store: EventStore, secondsMax: Double, now: @escaping @Sendable () -> Moment,
        report: @escaping @Sendable (Notice) -> Void
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
            let moment = now()
            let due = try await store.clock.due(moment, nil, 1).first?.place
            lastLook = .now
            for notice in monitor.observe(lags) { report(.lag(notice)) }
            if let notice = clock.observe(due, at: moment) { report(.clock(notice)) }
        } catch {
            if !Task.isCancelled { report(.store(error)) }
        }
    }

    /// Nil when the last look is a while ago.
    private func freshLook() async -> Void? {
        if lastLook == nil { await look() }
        guard let lastLook,
            ContinuousClock.now - lastLook < .seconds(secondsMax + 2 * intervalSeconds)
        else { return nil }
        return ()
    }

    /// What the last look found of the clock.
    public func clockHealth() async -> Health {
        guard await freshLook() != nil else { return Self.unknown }
        guard let place = clock.stuck else { return .well("on time") }
        return .unwell(
            "nobody brings about what is due: an activity of tenant \(place.tenant.rawValue) has "
                + "waited since \(place.dueAt.rfc3339)")
    }

    private static let unknown = Health.unwell("nobody knows: the database gives no answer")

    /// What the last look found of the checkpoints.
    public func health() async -> Health {
        guard await freshLook() != nil else { return Self.unknown }
        let stuck = monitor.stuck.values.sorted { $0.tenant < $1.tenant }
        guard let first = stuck.first else {
            if monitor.events == 0 { return .well("nothing waits") }
            return .well("\(monitor.events) events wait, \(Int(monitor.seconds)) s at most")
        }
        let others = stuck.count > 1 ? "; and \(stuck.count - 1) more tenants" : ""
        return .unwell(
            "tenant \(first.tenant.rawValue) stands still at position \(first.checkpoint) of "
                + "\(first.head), the next event has waited for \(Int(first.waitedSeconds)) s"
                + others)
    }
}
