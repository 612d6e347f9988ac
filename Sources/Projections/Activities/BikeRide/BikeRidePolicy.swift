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
        endingRule ?? firstRule ?? statusRule ?? fareRule ?? change.assessment(Self.details)
    }

    private var endingRule: Assessment? {
        guard after.stage == .ended, change.before.stage != .ended else { return nil }
        let ridden = after.riddenSeconds.map { "\($0 / 60) min" }
        let cost = [ridden, after.fare].compactMap(\.self).joined(separator: ", ")
        var words = Words("ended")
        if let text = after.note ?? (cost.isEmpty ? nil : "\(cost).") {
            words.body = .verbatim(text)
        }
        return change.assessment(Self.ended, words: words)
    }

    private var firstRule: Assessment? {
        change.before.isKnown ? nil : change.assessment(Self.first, words: Words("first"))
    }

    private var statusRule: Assessment? {
        guard change.after.stage != change.before.stage else { return nil }
        return change.assessment(
            Self.status, "Now: \(BikeRideKind.statusText(after)).",
            words: Words("status.\(after.stage?.rawValue ?? after.status.rawValue)"))
    }

    private var fareRule: Assessment? {
        change.after.fare?.value == change.before.fare?.value ? nil : change.assessment(Self.fare)
    }
}
