import Domain

/// What each change of an order is worth. The first rule that fits speaks.
struct PizzaDeliveryPolicy {
    /// A delay is worth a word at this much behind the promise, and again at twice, three times …
    static let delayStepSeconds = 600.0
    /// An estimate that moves less than this may wait until it is convenient.
    static let estimateDriftSecondsMax = 600.0
    /// How long after the expected arrival, or the last report, silence makes the card stale.
    static let graceSeconds = 600.0
    static let dismissDeliveredSeconds = 900.0
    static let dismissFailedSeconds = 3600.0

    private let change: Change<PizzaDeliveryKind>
    private let before: PizzaDeliveryAttributes.ContentState
    private let after: PizzaDeliveryAttributes.ContentState

    init(_ change: Change<PizzaDeliveryKind>) {
        self.change = change
        before = PizzaDeliveryKind.contentState(of: change.before)
        after = PizzaDeliveryKind.contentState(of: change.after)
    }

    var assessment: Assessment {
        if change.after.stage.isEnding { return ending }
        return driverRule ?? arrivingRule ?? lateRule ?? stageRule ?? estimateRule ?? otherRule
    }

    private var ending: Assessment {
        let (rule, title, fallback, dismissal) =
            switch change.after.stage {
            case .cancelled:
                (
                    "cancelled", "Order cancelled", "\(order) was cancelled.",
                    Self.dismissFailedSeconds
                )
            case .failed:
                (
                    "failed", "Delivery failed", "\(order) could not be delivered.",
                    Self.dismissFailedSeconds
                )
            case .placed, .accepted, .preparing, .ready, .onTheWay, .arriving, .delivered:
                (
                    "delivered", "Delivered", "\(order) is at your door. Enjoy!",
                    Self.dismissDeliveredSeconds
                )
            }
        return say(
            .alert(Alert(title: title, body: after.note ?? fallback)), rule,
            "The order has ended: \(rule).", ending: Ending(dismissAfterSeconds: dismissal))
    }

    private var driverRule: Assessment? {
        guard let driver = change.after.driverName?.value,
            driver != change.before.driverName?.value
        else { return nil }
        if change.before.driverName == nil {
            let alert = Alert(title: "Driver assigned", body: "\(driver) will bring \(pizzas).")
            return say(.alert(alert), "driverAssigned", "The order has its first driver.")
        }
        let alert = Alert(title: "New driver", body: "\(driver) now brings \(pizzas).")
        return say(.alert(alert), "driverReassigned", "Another driver took over.")
    }

    private var arrivingRule: Assessment? {
        guard change.after.stage == .arriving, change.before.stage != .arriving else { return nil }
        let alert = Alert(title: "Almost there", body: "\(after.driverName) is arriving.")
        return say(.alert(alert), "arriving", "The driver is about to ring.")
    }

    /// Also speaks when it is the promise that arrives late: then the delay is news as well.
    private var lateRule: Assessment? {
        let steps = { (seconds: Double) in (seconds / Self.delayStepSeconds).rounded(.down) }
        let delay = change.after.worstDelaySeconds
        guard steps(delay) > steps(change.before.worstDelaySeconds),
            change.after.estimate?.value.deliveryAt == change.after.worstEstimate
        else { return nil }
        let minutes = Int((delay / 60).rounded())
        let reason = after.note.map { ": \($0)" } ?? "."
        let alert = Alert(
            title: "Running late",
            body: "\(order) comes about \(minutes) minutes later than promised\(reason)")
        return say(.alert(alert), "late", "\(minutes) minutes behind the promise.")
    }

    private var stageRule: Assessment? {
        guard change.after.stage > change.before.stage else { return nil }
        return switch change.after.stage {
        case .accepted: say(.timely, "progress", "The shop took the order.")
        case .onTheWay: say(.timely, "progress", "The driver has the order.")
        case .placed, .preparing, .ready, .arriving, .delivered, .cancelled, .failed:
            say(.ambient, "progress", "The kitchen is a step further.")
        }
    }

    private var estimateRule: Assessment? {
        guard let estimate = change.after.estimate?.value, let previous = change.before.estimate,
            estimate.deliveryAt != previous.value.deliveryAt
        else { return nil }
        let drift = estimate.deliveryAt.seconds(since: previous.value.deliveryAt)
        let size = abs(drift)
        let amount = size < 60 ? "\(Int(size)) s" : "\(Int((size / 60).rounded())) min"
        let reason = "The estimate moved \(amount) \(drift < 0 ? "earlier" : "later")."
        return size >= Self.estimateDriftSecondsMax
            ? say(.timely, "estimate", reason) : say(.ambient, "estimateDrift", reason)
    }

    private var otherRule: Assessment {
        if change.before.firstReportAt == nil {
            return say(.timely, "first", "The order appears.")
        }
        if after.distanceMeters != before.distanceMeters {
            return say(.ambient, "location", "The driver moved.")
        }
        return say(.ambient, "details", "A detail of the card changed.")
    }

    private var order: String {
        change.after.order.map { "Order \($0.value.orderNumber)" } ?? "Your order"
    }

    private var pizzas: String {
        switch change.after.order?.value.numberOfPizzas {
        case .none: "your order"
        case .some(1): "your pizza"
        case .some(let count): "your \(count) pizzas"
        }
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
        switch change.after.stage {
        case .placed, .accepted, .preparing, .ready: 50
        case .onTheWay: 75
        case .arriving: 100
        case .cancelled, .failed, .delivered: 25
        }
    }
}
