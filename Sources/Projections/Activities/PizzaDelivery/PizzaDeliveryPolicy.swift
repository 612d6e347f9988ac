import Domain

/// What each change of an order is worth. The first rule that fits speaks.
struct PizzaDeliveryPolicy {
    private let change: Change<PizzaDeliveryKind>

    init(_ change: Change<PizzaDeliveryKind>) { self.change = change }

    /// What phones showed before, and show now; most rules look at neither.
    private var before: PizzaDeliveryAttributes.ContentState {
        PizzaDeliveryKind.contentState(of: change.before)
    }
    private var after: PizzaDeliveryAttributes.ContentState {
        PizzaDeliveryKind.contentState(of: change.after)
    }

    var assessment: Assessment {
        if change.after.stage.isEnding, change.after.stage != change.before.stage { return end }
        // A delay is news once, whatever it comes with; the driver's name is on the card anyway.
        var assessment =
            arrivingRule ?? lateRule ?? driverRule ?? stageRule ?? estimateRule ?? otherRule
        if assessment.rule != Self.late.name {
            // With the driver at the door it is no news.
            change.amendDelay(
                &assessment, Self.delay, of: Self.late, Self.delayStep,
                isChanged: isEstimateChanged, mayTell: change.after.stage < .arriving, lateWords)
        }
        return assessment
    }

    private var isEstimateChanged: Bool {
        change.after.estimate?.value != change.before.estimate?.value
            || change.after.order?.value.promisedAt != change.before.order?.value.promisedAt
    }

    private var end: Assessment {
        let rule =
            switch change.after.stage {
            case .cancelled: Self.cancelled
            case .failed: Self.failed
            case .placed, .accepted, .preparing, .ready, .onTheWay, .arriving, .delivered:
                Self.delivered
            }
        var words = words(of: rule)
        if let note = after.note { words.body = .verbatim(note) }
        // Who has the order need not hear that it is on its way, or late.
        return change.assessment(
            rule, "The order has ended: \(rule.name).", words: words,
            alertContext: AlertContext(withdrawing: [Self.stage, Self.delay, Self.driver]))
    }

    /// What alerts are about; of each only the newest alert is true.
    private static let stage = "stage"
    private static let delay = "delay"
    private static let driver = "driver"

    private var driverRule: Assessment? {
        guard let driver = change.after.driverName?.value,
            driver != change.before.driverName?.value, !change.after.stage.isEnding
        else { return nil }
        let isFirst = change.before.driverName == nil
        // Once the order is on its way, it is no news that somebody will bring it.
        if isFirst, change.after.stage >= .onTheWay { return nil }
        let rule = isFirst ? Self.driverAssigned : Self.driverReassigned
        return change.assessment(
            rule, words: Words(rule.name, ["driver": .text(driver), "pizzas": pizzas]),
            alertContext: .newest(Self.driver))
    }

    private var arrivingRule: Assessment? {
        guard change.after.stage == .arriving, change.before.stage != .arriving else { return nil }
        return change.assessment(
            Self.arriving, words: Words("arriving", ["driver": driver]),
            alertContext: AlertContext(
                subject: Self.stage, withdrawing: [Self.stage, Self.delay, Self.driver]))
    }

    /// Also speaks when it is the promise that arrives late: then the delay is news as well. With
    /// the driver at the door it is none.
    private var lateRule: Assessment? {
        let delay = change.after.worstDelaySeconds
        let extent = change.extent(delay, Self.delayStep)
        guard change.after.stage < .arriving,
            extent.exceeds(heardSeconds: change.before.worstDelaySeconds),
            change.after.estimate?.value.deliveryAt == change.after.worstEstimate
        else { return nil }
        return change.assessment(
            Self.late, "\(change.minutes(delay).counted("minute")) behind the promise.",
            words: lateWords(delay),
            alertContext: .newest(Self.delay, extent, heardSeconds: change.before.worstDelaySeconds)
        )
    }

    private func lateWords(_ delay: Double) -> Words {
        Words(
            "late",
            [
                "order": order, "minutes": .count(change.minutes(delay)),
                "reason": .reason(after.note),
            ])
    }

    private var stageRule: Assessment? {
        guard change.after.stage > change.before.stage else { return nil }
        return switch change.after.stage {
        case .accepted:
            change.assessment(
                Self.accepted, words: words(of: Self.accepted), alertContext: .newest(Self.stage))
        case .onTheWay:
            change.assessment(
                Self.pickedUp, words: words(of: Self.pickedUp),
                // Who brings it has it: that somebody will is no news any more.
                alertContext: AlertContext(
                    subject: Self.stage, withdrawing: [Self.stage, Self.driver]))
        case .placed, .preparing, .ready, .arriving, .delivered, .cancelled, .failed:
            change.assessment(Self.progress)
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
        if size < change.policy[Self.estimateDriftIgnored] {
            return change.assessment(Self.estimateNoise, reason)
        }
        return change.assessment(
            size < change.policy[Self.estimateDrift] ? Self.estimateDrifted : Self.estimate, reason)
    }

    private var otherRule: Assessment {
        if change.before.firstReportAt == nil {
            return change.assessment(
                Self.first, words: words(of: Self.first), alertContext: .newest(Self.stage))
        }
        return change.assessment(
            after.distanceMeters == before.distanceMeters ? Self.details : Self.location)
    }

    private var order: Phrase.Argument { Self.order(change.after) }

    private static func order(_ state: PizzaDeliveryState) -> Phrase.Argument {
        guard let order = state.order else { return .phrase(Phrase("yourOrder")) }
        return .phrase(Phrase("order", ["number": .text("\(order.value.orderNumber)")]))
    }

    private var driver: Phrase.Argument {
        guard let driver = change.after.driverName else { return .phrase(Phrase("yourDriver")) }
        return .text(driver.value)
    }

    /// What was promised has not come, and nobody says why.
    static func overdue(_ broken: BrokenPromise<PizzaDeliveryKind>) -> Assessment {
        let minutes = Int(broken.overdueSeconds / 60)
        return broken.assessment(
            overdue, "\(minutes.counted("minute")) past the promise, and nobody reports anything.",
            words: Words(
                "overdue", ["order": order(broken.state), "minutes": .count(minutes)]))
    }

    private var pizzas: Phrase.Argument {
        guard let count = change.after.order?.value.numberOfPizzas else {
            return .phrase(Phrase("theOrder"))
        }
        return .phrase(Phrase("pizzas", ["count": .count(count)]))
    }

    private func words(of rule: Rule) -> Words { Words(rule.name, ["order": order]) }
}
