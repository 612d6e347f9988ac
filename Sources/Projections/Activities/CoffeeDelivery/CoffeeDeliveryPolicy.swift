import Domain

/// What each change of a coffee order is worth. The first rule that fits speaks.
struct CoffeeDeliveryPolicy {
    private let change: Change<CoffeeDeliveryKind>
    private let coffee: Phrase.Argument

    init(_ change: Change<CoffeeDeliveryKind>) {
        self.change = change
        coffee =
            change.after.coffeeName.map { .text($0.value) } ?? .phrase(Phrase("yourCoffee"))
    }

    var assessment: Assessment {
        // A delay is news once, whatever it comes with; the status is on the card anyway.
        endingRule ?? delayRule ?? statusRule ?? estimateRule ?? otherRule
    }

    private var endingRule: Assessment? {
        guard let ending = change.after.ending else { return nil }
        let rule =
            switch ending.outcome {
            case .delivered: Self.delivered
            case .cancelled: Self.cancelled
            }
        var words = Words(rule.name, ["coffee": coffee])
        if ending.outcome == .cancelled, let reason = ending.reason.value {
            words.body = .verbatim(reason)
        }
        return say(
            rule, "The order has ended: \(rule.name).", words: words,
            ending: Ending(dismissAfterSeconds: change.policy[Self.dismiss]))
    }

    private var statusRule: Assessment? {
        guard change.after.status > change.before.status else { return nil }
        return switch change.after.status {
        case .outForDelivery:
            say(
                Self.onItsWay, "The courier has the coffee.",
                words: Words("onItsWay", ["coffee": coffee]))
        case .received, .preparing:
            say(
                Self.progress, "The barista is a step further.",
                words: Words("progress", ["coffee": coffee]))
        }
    }

    /// How much later it is expected than before, in seconds; nil when that has not changed.
    private var drift: Double? {
        guard let estimate = change.after.estimate?.value.deliveryAt,
            let previous = change.before.estimate?.value.deliveryAt, estimate != previous
        else { return nil }
        return estimate.seconds(since: previous)
    }

    private var delayRule: Assessment? {
        guard let drift, drift >= change.policy[Self.delayAlert] else { return nil }
        let minutes = Int((drift / 60).rounded())
        return say(
            Self.delayed, "The expected arrival moved \(minutes) minutes later.",
            words: Words("delayed", ["coffee": coffee, "minutes": .count(minutes)]))
    }

    private var estimateRule: Assessment? {
        guard let drift else { return nil }
        if abs(drift) < change.policy[Self.estimateDriftIgnored] {
            return say(Self.estimateNoise, "The expected arrival hardly moved.")
        }
        return abs(drift) >= change.policy[Self.estimateDrift]
            ? say(Self.estimate, "The expected arrival moved.")
            : say(Self.estimateDrifted, "The expected arrival moved a little.")
    }

    private var otherRule: Assessment {
        change.before.isKnown
            ? say(Self.details, "A detail of the card changed.")
            : say(Self.first, "The order appears.", words: Words("first", ["coffee": coffee]))
    }

    private func say(
        _ rule: Rule, _ reason: String, words: @autoclosure () -> Words? = nil,
        ending: Ending? = nil
    ) -> Assessment {
        change.assessment(
            rule, reason, words: words(), relevanceScore: relevance, ending: ending)
    }

    private var relevance: Double {
        if change.after.ending != nil { return 25 }
        return switch change.after.status {
        case .received, .preparing: 50
        case .outForDelivery: 75
        }
    }
}
