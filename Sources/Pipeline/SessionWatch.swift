public import EventStore

/// Ends sessions of nodes that stand still, every few seconds, and notices when this one did.
///
/// Any number may run: a session that another one has ended is not found any more.
public struct SessionWatch: Sendable {
    /// What an operator should know.
    public enum Diagnostic: Hashable, Sendable {
        /// So many sessions kept what they had locked while their node stood still.
        case ended(Int)
        /// This node has not run for so long. What it had claimed may be others' by now.
        case stoodStill(seconds: Double)
        case store(EventStoreError)
    }

    private let store: EventStore
    private let report: @Sendable (Diagnostic) -> Void

    public init(store: EventStore, report: @escaping @Sendable (Diagnostic) -> Void) {
        self.store = store
        self.report = report
    }

    /// Runs until its task is cancelled.
    public func run() async {
        while !Task.isCancelled {
            let began = ContinuousClock.now
            try? await Task.sleep(for: .seconds(Limits.sessionLookSeconds))
            let late = (ContinuousClock.now - began) / .seconds(1) - Limits.sessionLookSeconds
            if late > Limits.standstillSeconds { report(.stoodStill(seconds: late)) }
            await look()
        }
    }

    public func look() async {
        do throws(EventStoreError) {
            let ended = try await store.endStuckSessions()
            if ended > 0 { report(.ended(ended)) }
        } catch {
            if !Task.isCancelled { report(.store(error)) }
        }
    }
}
