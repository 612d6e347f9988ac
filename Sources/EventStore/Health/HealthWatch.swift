/// Finds out again and again about calls that are in doubt, and says when one of the kinds stops
/// working and when it works again.
///
/// A node that is sent nothing because its calls failed would never learn that they work again.
public actor HealthWatch {
    public enum Diagnostic: Hashable, Sendable {
        case stopped(StoreCall, EventStoreError)
        case works(StoreCall)
    }

    private let store: EventStore
    private let health: StoreHealth
    private let calls: Set<StoreCall>
    private let report: @Sendable (Diagnostic) -> Void
    private var stopped: Set<StoreCall> = []
    private var lastProbe: [StoreCall: ContinuousClock.Instant] = [:]

    /// - Parameters:
    ///   - calls: those that the node needs for what it does.
    ///   - report: called once when one of them stops working and once when it works again.
    public init(
        store: EventStore, health: StoreHealth, calls: Set<StoreCall>,
        report: @escaping @Sendable (Diagnostic) -> Void
    ) {
        self.store = store
        self.health = health
        self.calls = calls
        self.report = report
    }

    /// Runs until its task is cancelled.
    public func run() async {
        while !Task.isCancelled {
            await look()
            try? await Task.sleep(for: .milliseconds(Limits.healthLookMillis))
        }
    }

    /// Probes what is in doubt, if it was not probed a moment ago.
    public func look() async {
        for call in StoreCall.allCases where calls.contains(call) && isProbeDue(call) {
            lastProbe[call] = .now
            await probe(call)
        }
        for call in StoreCall.allCases where calls.contains(call) {
            if let error = health.complaint(about: call) {
                if stopped.insert(call).inserted { report(.stopped(call, error)) }
            } else if stopped.remove(call) != nil {
                report(.works(call))
            }
        }
    }

    private func isProbeDue(_ call: StoreCall) -> Bool {
        let history = health.history(of: call)
        guard history.isInDoubt else { return false }
        if let last = lastProbe[call], .now - last < .seconds(Limits.probeRestSeconds) {
            return false
        }
        switch call {
        case .append: return true
        // The projector looks by itself for as long as there is something to fold.
        case .fold:
            guard let failure = history.lastFailure else { return false }
            return .now - failure.at > .seconds(Limits.probeRestSeconds)
        // The sender claims by itself, again and again.
        case .send: return false
        }
    }

    private func probe(_ call: StoreCall) async {
        do throws(EventStoreError) {
            switch call {
            case .append: try await store.probe.append()
            case .fold: try await store.probe.fold()
            case .send: return
            }
            health.noteProbe(call, nil)
        } catch {
            if !Task.isCancelled { health.noteProbe(call, error) }
        }
    }
}
