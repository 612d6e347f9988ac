import Domain
import HTTP

/// Whose key a call came with. Routes that touch a tenant's data get no other tenant to ask for.
struct Caller: Sendable {
    var tenant: TenantID
    var allowance: Allowance
    /// Takes this many events from the tenant's rate.
    /// - Returns: nil when they may be recorded; else microseconds to wait.
    var takeEvents: @Sendable (Int) -> Int64?
    /// Asks the store, at most every few seconds, whether the key still holds.
    var isStillGranted: @Sendable () async -> Bool

    /// To be called before events are recorded, once for all of them.
    func admit(events count: Int) throws(ProblemDocument) {
        guard let wait = takeEvents(count) else { return }
        throw .rateLimited(
            "The tenant may send \(allowance.events.perSecond) events a second to this node.",
            waitMicroseconds: wait)
    }
}

extension ProblemDocument {
    static func rateLimited(_ detail: String, waitMicroseconds: Int64) -> ProblemDocument {
        let seconds = (waitMicroseconds + 999_999) / 1_000_000
        return ProblemDocument(.rateLimited, detail, headers: ["retry-after": String(seconds)])
    }
}
