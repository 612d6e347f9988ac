import Domain

/// What each change of a coffee order is worth. The first rule that fits speaks.
struct CoffeeDeliveryPolicy {
    /// An estimate that moves by this much is worth showing at once: coffee gets cold.
    static let estimateDriftSecondsMax = 300.0
    /// How long after the expected arrival, or the last report, silence makes the card stale.
    static let graceSeconds = 900.0
    static let dismissSeconds = 900.0

    private let change: Change<CoffeeDeliveryKind>
    private let coffee: String

    init(_ change: Change<CoffeeDeliveryKind>) {
        self.change = change
        coffee = change.after.coffeeName?.value ?? "Your coffee"
    }

    var assessment: Assessment {
        endingRule ?? statusRule ?? estimateRule ?? otherRule
    }

    private var endingRule: Assessment? {
        guard let ending = change.after.ending else { return nil }
        let reason = ending.reason.value
        let (rule, alert) =
            switch ending.outcome {
            case .delivered: ("delivered", Alert(title: "Delivered", body: "\(coffee) is here."))
            case .cancelled:
                (
                    "cancelled",
                    Alert(title: "Order cancelled", body: reason ?? "\(coffee) was cancelled.")
                )
            }
        return say(
            .alert(alert), rule, "The order has ended: \(rule).",
            ending: Ending(dismissAfterSeconds: Self.dismissSeconds))
    }

    private var statusRule: Assessment? {
        guard change.after.status > change.before.status else { return nil }
        switch change.after.status {
        case .outForDelivery:
            let alert = Alert(title: "On its way", body: "\(coffee) is out for delivery.")
            return say(.alert(alert), "onItsWay", "The courier has the coffee.")
        case .received, .preparing:
            return say(.timely, "progress", "The barista is a step further.")
        }
    }

    private var estimateRule: Assessment? {
        guard let estimate = change.after.estimate?.value.deliveryAt,
            let previous = change.before.estimate?.value.deliveryAt, estimate != previous
        else { return nil }
        return abs(estimate.seconds(since: previous)) >= Self.estimateDriftSecondsMax
            ? say(.timely, "estimate", "The expected arrival moved.")
            : say(.ambient, "estimateDrift", "The expected arrival moved a little.")
    }

    private var otherRule: Assessment {
        change.before.isKnown
            ? say(.ambient, "details", "A detail of the card changed.")
            : say(.timely, "first", "The order appears.")
    }

    private func say(
        _ significance: Significance, _ rule: String, _ reason: String, ending: Ending? = nil
    ) -> Assessment {
        let expected = change.after.estimate.map { max($0.value.deliveryAt, change.recordedAt) }
        return Assessment(
            significance: significance, rule: rule, reason: reason,
            staleAt: ending == nil
                ? (expected ?? change.recordedAt).adding(seconds: Self.graceSeconds) : nil,
            relevanceScore: relevance, ending: ending)
    }

    private var relevance: Double {
        if change.after.ending != nil { return 25 }
        return switch change.after.status {
        case .received, .preparing: 50
        case .outForDelivery: 75
        }
    }
}
