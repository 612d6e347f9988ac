import Domain
import Projections

/// Policies in which seconds pass as quickly as in the story. The figures stay those that are built
/// in, so that budgets run low where they would in a real evening.
struct DemoPolicies {
    let speed: Double

    private static let paced: [Threshold] = [
        .budgetRefillSeconds, .frequentRefillSeconds, .quietRefillSeconds, .coalesceSeconds,
        .mergeSeconds,
    ]

    private var document: PolicyDocument {
        PolicyDocument(
            thresholds: Dictionary(
                uniqueKeysWithValues: Self.paced.map { threshold in
                    let range = threshold.range
                    let scaled = threshold.standard / speed
                    return (
                        threshold.name, min(max(scaled, range.lowerBound), range.upperBound)
                    )
                }))
    }

    func put(with client: IsletClient) async throws(IsletClient.Failure) {
        for kind in ActivityCatalog.kinds {
            try await client.put(policy: document, ofKind: kind.name)
        }
    }
}
