import Domain
public import EventStore

/// Looks again and again how far all checkpoints are behind, for health checks and the log.
///
/// It asks the database, so every node sees a follower that is wedged, wherever it runs.
public actor LagWatch {
    public enum Notice: Hashable, Sendable {
        case lag(LagMonitor.Notice)
        case store(EventStoreError)
    }

    public enum Health: Hashable, Sendable {
        case well(String)
        case unwell(String)
    }

    private let store: EventStore
    private let secondsMax: Double
    private let report: @Sendable (Notice) -> Void
    private var monitor: LagMonitor
    private var lastLook: ContinuousClock.Instant?

    /// - Parameters:
    ///   - secondsMax: how long an event may wait for a checkpoint that stands still.
    ///   - report: told once when one begins to and once when it moves again.
    public init(
        store: EventStore, secondsMax: Double, report: @escaping @Sendable (Notice) -> Void
    ) {
        self.store = store
        self.secondsMax = secondsMax
        self.report = report
        monitor = LagMonitor(secondsMax: secondsMax)
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
            lastLook = .now
            for notice in monitor.observe(lags) { report(.lag(notice)) }
        } catch {
            if !Task.isCancelled { report(.store(error)) }
        }
    }

    /// What the last look found.
    public func health() async -> Health {
        if lastLook == nil { await look() }
        guard let lastLook,
            ContinuousClock.now - lastLook < .seconds(secondsMax + 2 * intervalSeconds)
        else { return .unwell("nobody knows: the database gives no answer") }
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
