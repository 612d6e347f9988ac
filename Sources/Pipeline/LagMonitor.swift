public import Domain
public import EventStore

/// Tells from what is seen of checkpoints, look by look, which of them stand still. Pure.
///
/// Two looks must have found a checkpoint at the same place, so that one which was left behind
/// while no projector ran, or that has only just got a log of the past to fold, is given a moment.
public struct LagMonitor: Hashable, Sendable {
    public enum Diagnostic: Hashable, Sendable {
        /// Said once for as long as it lasts.
        case stalled(ProjectionLag)
        case movesAgain(TenantID)
    }

    private let secondsMax: Double
    /// Checkpoints of the last look, of tenants with a lag.
    private var seen: [TenantID: Int64] = [:]
    /// Tenants whose checkpoint stands still.
    public private(set) var stalled: [TenantID: ProjectionLag] = [:]

    /// - Parameter secondsMax: how long an event may wait for a checkpoint that stands still.
    public init(secondsMax: Double) { self.secondsMax = secondsMax }

    /// Takes in a look at every tenant that has a lag.
    public mutating func observe(_ lags: [ProjectionLag]) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        var still: [TenantID: ProjectionLag] = [:]
        for lag in lags where seen[lag.tenant] == lag.checkpoint {
            guard lag.isStalled(secondsMax: secondsMax) else { continue }
            still[lag.tenant] = lag
            if stalled[lag.tenant] == nil { diagnostics.append(.stalled(lag)) }
        }
        for tenant in stalled.keys.sorted() where still[tenant] == nil {
            diagnostics.append(.movesAgain(tenant))
        }
        stalled = still
        seen = Dictionary(uniqueKeysWithValues: lags.map { ($0.tenant, $0.checkpoint) })
        return diagnostics
    }
}
