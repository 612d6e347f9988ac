import DeliveryRules
import Domain
public import EventStore

/// Folds one activity again after something was parked. Pure.
public enum Unparking {
    /// - Returns: the activity's snapshot, decisions for the versions that had none, and what stays
    ///   parked; nil when less could be folded than is stored.
    public static func fold(_ input: RefoldInput) -> FoldResult? {
        guard let first = input.events.first else {
            return FoldResult(snapshots: [], decisions: [], parked: [])
        }
        var result = BatchFolder.fold(
            FoldBatch(
                tenant: first.tenant, events: input.events, snapshots: [:],
                policies: input.policies))
        let folded = result.decisions.last?.version ?? 0
        guard folded >= input.stored?.foldedVersion ?? 0 else { return nil }
        result.decisions = UnparkedHistory.decide(
            result.decisions.filter { !input.decided.contains($0.version) })
        return result
    }
}
