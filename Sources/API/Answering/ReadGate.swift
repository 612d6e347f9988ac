import Domain
import EventStore
import HTTP

/// Lets a read through once the log is folded up to the position it names: `?wait=<position>`.
struct ReadGate: Sendable {
    let store: EventStore
    let environment: APIEnvironment
    let hub: ChangeHub
    let calls: ReservedShares

    /// Returns at once without `wait`.
    /// - Throws: `projectionBehind` when it takes too long, `invalidKey` when the key was revoked
    ///   meanwhile.
    func waitUntilFolded(_ call: Call, _ caller: Caller) async throws(ProblemDocument) {
        guard let position = try call.number("wait", in: Limits.positions) else { return }
        let end = ContinuousClock.now + .seconds(environment.limits.readWaitSeconds)
        // Only a caller that really waits takes a share.
        var reservation: ReservedShares.Reservation?
        defer { withExtendedLifetime(reservation) {} }
        var last: Freshness?
        while true {
            let seen = await hub.count(of: caller.tenant)
            let freshness: Freshness
            do { freshness = try await store.reads.freshness(caller.tenant) } catch {
                // The caller is gone, or this node stops.
                if let last, Task.isCancelled { throw behind(last, position) }
                throw environment.problem(for: error, doing: "waiting for a position")
            }
            last = freshness
            let isBeyond = position > freshness.head
            // The key may have gone meanwhile, with its tenant even: then the log ends at 0.
            if reservation != nil || isBeyond { try await caller.checkKey() }
            if freshness.position >= position { return }
            guard !isBeyond else { throw .beyond(freshness.head, "wait") }
            let left = (end - ContinuousClock.now) / .seconds(1)
            guard left > 0, !Task.isCancelled else { throw behind(freshness, position) }
            if reservation == nil {
                reservation = try calls.reserveCall(of: caller.tenant, environment.limits)
            }
            await hub.wait(for: caller.tenant, beyond: seen, atMost: left)
            guard !Task.isCancelled else { throw behind(freshness, position) }
        }
    }

    private func behind(_ freshness: Freshness, _ position: Int64) -> ProblemDocument {
        var document = ProblemDocument(
            .projectionBehind,
            "The log is folded up to position \(freshness.position), not yet up to \(position).",
            headers: environment.limits.retryAfter)
        document.figures = ["position": freshness.position, "head": freshness.head]
        return document
    }
}
