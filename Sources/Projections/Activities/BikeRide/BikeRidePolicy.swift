import Domain

/// What each change of a ride is worth. The first rule that fits speaks.
struct BikeRidePolicy {
    private let change: Change<BikeRideKind>
    private let after: OrderAttributes.ContentState

    init(_ change: Change<BikeRideKind>) {
        self.change = change
        after = BikeRideKind.contentState(of: change.after)
    }

    var assessment: Assessment {
        endingRule ?? firstRule ?? statusRule ?? fareRule ?? say(Self.details)
    }

    private var endingRule: Assessment? {
        guard after.stage == .ended, change.before.stage != .ended else { return nil }
        let ridden = after.riddenSeconds.map { "\($0 / 60) min" }
        let cost = [ridden, after.fare].compactMap(\.self).joined(separator: ", ")
        var words = Words("ended")
        if let text = after.note ?? (cost.isEmpty ? nil : "\(cost).") {
            words.body = .verbatim(text)
        }
        return say(Self.ended, words: words)
    }

    private var firstRule: Assessment? {
        change.before.isKnown ? nil : say(Self.first, words: Words("first"))
    }

    private var statusRule: Assessment? {
        guard change.after.stage != change.before.stage else { return nil }
        return say(
            Self.status, "Now: \(BikeRideKind.statusText(after)).",
            words: Words("status.\(after.stage?.rawValue ?? after.status.rawValue)"))
    }

    private var fareRule: Assessment? {
        change.after.fare?.value == change.before.fare?.value ? nil : say(Self.fare)
    }

    private func say(
        _ rule: Rule, _ reason: String? = nil, words: @autoclosure () -> Words? = nil
    ) -> Assessment {
        change.assessment(
            rule, reason, words: words(),
            ending: after.stage == .ended ? change.ending(staying: Self.dismiss) : nil)
    }
}
