import Domain

/// What each change of a ride is worth. The first rule that fits speaks.
struct BikeRidePolicy {
    /// A bicycle says nothing while it rolls, so silence is odd only after long.
    static let staleAfterSeconds = 3600.0
    static let dismissSeconds = 900.0

    private let change: Change<BikeRideKind>
    private let after: OrderAttributes.ContentState

    init(_ change: Change<BikeRideKind>) {
        self.change = change
        after = BikeRideKind.contentState(of: change.after)
    }

    var assessment: Assessment {
        endingRule ?? firstRule ?? statusRule ?? fareRule
            ?? say(.ambient, "details", "A detail of the card changed.")
    }

    private var endingRule: Assessment? {
        guard after.status == .ended else { return nil }
        let ridden = after.riddenSeconds.map { "\($0 / 60) min" }
        let cost = [ridden, after.fare].compactMap(\.self).joined(separator: ", ")
        let body = after.note ?? (cost.isEmpty ? "Thank you for riding." : "\(cost).")
        return say(
            .alert(Alert(title: "Ride ended", body: body)), "ended", "The bicycle is given back.",
            ending: Ending(dismissAfterSeconds: Self.dismissSeconds))
    }

    private var firstRule: Assessment? {
        change.before.isKnown ? nil : say(.timely, "first", "The ride appears.")
    }

    private var statusRule: Assessment? {
        guard change.after.status != change.before.status else { return nil }
        return say(.timely, "status", "Now: \(BikeRideKind.statusText(after.status)).")
    }

    private var fareRule: Assessment? {
        guard change.after.fare?.value != change.before.fare?.value else { return nil }
        return say(.ambient, "fare", "The fare has changed.")
    }

    private func say(
        _ significance: Significance, _ rule: String, _ reason: String, ending: Ending? = nil
    ) -> Assessment {
        Assessment(
            significance: significance, rule: rule, reason: reason,
            staleAt: ending == nil
                ? change.recordedAt.adding(seconds: Self.staleAfterSeconds) : nil,
            relevanceScore: relevance, ending: ending)
    }

    private var relevance: Double {
        switch after.status {
        case .unstarted, .ended: 25
        case .unlocked, .paused: 50
        case .riding: 75
        }
    }
}
