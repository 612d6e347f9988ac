import Domain
import Projections
import ServerClient

/// Policies in which seconds pass as quickly as in the story. The figures are the built-in ones,
/// but for a match's budget: with so few pushes of priority 10 it runs low in a shoot-out. The
/// story's times lie ahead of the moments at which it reports them, and nobody waits after its end.
struct DemoPolicies {
    let speed: Double

    private static let matchTokens = 6.0

    private static let paced: [Threshold] = [
        .budgetRefillSeconds, .frequentRefillSeconds, .quietRefillSeconds, .coalesceSeconds,
        .mergeSeconds,
    ]

    private func document(of kind: String) -> PolicyDocument {
        var thresholds: [String: Double] = [:]
        for threshold in Self.paced {
            let range = threshold.range
            thresholds[threshold.name] = min(
                max(threshold.standard / speed, range.lowerBound), range.upperBound)
        }
        thresholds[Threshold.clockSkew.name] = Threshold.clockSkew.range.upperBound
        thresholds[Threshold.endGrace.name] = 0
        if kind == MatchKind.name { thresholds[Threshold.budgetTokens.name] = Self.matchTokens }
        return PolicyDocument(thresholds: thresholds)
    }

    func put(with client: RemoteServer) async throws(RemoteServer.Failure) {
        for kind in ActivityCatalog.standard.kinds {
            try await client.put(policy: document(of: kind.name), ofKind: kind.name)
        }
    }
}
