import Domain

/// What each change of a coffee order is worth. The first rule that fits speaks.
struct CoffeeDeliveryPolicy {
    private let change: Change<CoffeeDeliveryKind>
    private let coffee: Phrase.Argument

    init(_ change: Change<CoffeeDeliveryKind>) {
        self.change = change
        coffee = Self.coffee(change.after)
    }

    private static func coffee(_ state: CoffeeDeliveryState) -> Phrase.Argument {
        state.coffeeName.map { .text($0.value) } ?? .phrase(Phrase("yourCoffee"))
    }

    /// What was to be expected has not come, and nobody says why.
    static func overdue(_ broken: BrokenPromise<CoffeeDeliveryKind>) -> Assessment {
        let minutes = Int(broken.overdueSeconds / 60)
        return broken.assessment(
            overdue,
            "\(minutes.counted("minute")) past the expected arrival, and nobody reports anything.",
            words: Words(
                "overdue", ["coffee": coffee(broken.state), "minutes": .count(minutes)]))
    }

    var assessment: Assessment {
        // A delay is news once, whatever it comes with; the status is on the card anyway.
        if let endRule { return endRule }
        var assessment = delayRule ?? statusRule ?? estimateRule ?? otherRule
        if assessment.rule != Self.delayed.name {
            change.amendDelay(
                &assessment, Self.delay, of: Self.delayed, Self.delayAlert,
                isChanged: change.after.ending == nil
                    && change.after.delaySeconds != change.before.delaySeconds, delayWords)
        }
        return assessment
    }

    private var endRule: Assessment? {
        guard let ending = change.after.ending, ending.outcome != change.before.ending?.outcome
        else { return nil }
        let rule =
            switch ending.outcome {
            case .delivered: Self.delivered
            case .cancelled: Self.cancelled
            }
        var words = words(of: rule)
        if ending.outcome == .cancelled, let reason = ending.reason.value {
            words.body = .verbatim(reason)
        }
        return change.assessment(
            rule, "The order has ended: \(rule.name).", words: words,
            alertContext: AlertContext(withdrawing: [Self.stage, Self.delay]))
    }

    /// What alerts are about; of each only the newest alert is true.
    private static let stage = "stage"
    private static let delay = "delay"

    private var statusRule: Assessment? {
        guard change.after.status > change.before.status, change.after.ending == nil else {
            return nil
        }
        let rule =
            switch change.after.status {
            case .outForDelivery: Self.onItsWay
            case .received, .preparing: Self.progress
            }
        return change.assessment(rule, words: words(of: rule), alertContext: .newest(Self.stage))
    }

    /// How much later it is expected than before, in seconds; nil when that has not changed.
    private var drift: Double? {
        guard change.after.ending == nil,
            let estimate = change.after.estimate?.value.deliveryAt,
            let previous = change.before.estimate?.value.deliveryAt, estimate != previous
        else { return nil }
        return estimate.seconds(since: previous)
    }

    private var delayRule: Assessment? {
        let delay = change.after.worstDelaySeconds
        let extent = change.extent(delay, Self.delayAlert)
        guard change.after.ending == nil, extent.exceeds(heardSeconds: worstDelayBefore),
            change.after.estimate?.value.deliveryAt == change.after.worstEstimate
        else { return nil }
        return change.assessment(
            Self.delayed,
            "The coffee is expected \(change.minutes(delay)) minutes later than people count on.",
            words: delayWords(delay),
            alertContext: .newest(Self.delay, extent, heardSeconds: worstDelayBefore))
    }

    /// The worst delay that people know of: none if they count on another arrival since.
    private var worstDelayBefore: Double {
        change.after.countedOn == change.before.countedOn
            ? change.before.worstDelaySeconds : 0
    }

    private func delayWords(_ delay: Double) -> Words {
        Words("delayed", ["coffee": coffee, "minutes": .count(change.minutes(delay))])
    }

    private var estimateRule: Assessment? {
        guard let drift else { return nil }
        if abs(drift) < change.policy[Self.estimateDriftIgnored] {
            return change.assessment(Self.estimateNoise, "The expected arrival hardly moved.")
        }
        return change.assessment(
            abs(drift) < change.policy[Self.estimateDrift] ? Self.estimateDrifted : Self.estimate)
    }

    private var otherRule: Assessment {
        change.before.isKnown
            ? change.assessment(Self.details)
            : change.assessment(
                Self.first, words: words(of: Self.first), alertContext: .newest(Self.stage))
    }

    private func words(of rule: Rule) -> Words { Words(rule.name, ["coffee": coffee]) }
}
