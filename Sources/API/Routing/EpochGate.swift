import Domain
import EventStore
import HTTP

/// Refuses a position in another log than the one that is served, and says where to begin again.
struct EpochGate: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    /// - Parameter next: the path to go on with, after a position that both logs have; nil for one
    ///   that begins again.
    /// - Returns: the place; 0 without one.
    func admit(
        _ wanted: InEpoch<LogPosition>?, _ tenant: TenantID, next: (Int64?) -> String
    ) async throws(ProblemDocument) -> Int64 {
        guard let wanted else { return 0 }
        let position = wanted.place.number
        if wanted.epoch == environment.log.epoch || position == 0 { return position }
        let kept = try await environment.asked(
            "looking for what a restore has kept",
            try await store.identity.kept(tenant, wanted.epoch))
        throw problem(position, of: wanted.epoch, kept: min(kept ?? 0, position), next)
    }

    /// As `admit`, for places in which a restored log may differ from the very beginning.
    func require(_ epoch: Int64, beginning: () -> String) throws(ProblemDocument) {
        guard epoch != environment.log.epoch else { return }
        throw problem(0, of: epoch, kept: 0) { _ in beginning() }
    }

    private func problem(
        _ position: Int64, of epoch: Int64, kept: Int64, _ next: (Int64?) -> String
    ) -> ProblemDocument {
        let now = environment.log.epoch
        let rest =
            kept == 0
            ? "Begin again at `next`."
            : kept == position
                ? "Nothing up to there was taken back: go on at `next`."
                : "Both are the same up to position \(kept): forget what you have after it, and go "
                    + "on at `next`."
        var document = ProblemDocument(
            .logRestored,
            "This place is one of epoch \(epoch) of the log, which was restored since: it is in "
                + "epoch \(now) now. \(rest)")
        document.figures = ["epoch": now, "kept": kept]
        document.next = next(kept == 0 ? nil : kept)
        return document
    }
}
