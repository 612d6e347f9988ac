public import Domain

extension BikeRideKind {
    public static func presentation(
        attributes: OrderAttributes, contentState: OrderAttributes.ContentState
    ) -> Presentation {
        let title = Presentation.Line(title(attributes))
        let status = Presentation.Line(statusText(contentState))
        let ridden = ridden(contentState)
        let fare = contentState.fare.map { Presentation.Line($0) }
        let note = contentState.note.map { Presentation.Line($0) }
        return Presentation(
            lockScreen: [
                title,
                Presentation.Line(
                    ridden == nil || ridden?.clock != nil
                        ? status.text : "\(status.text), \(ridden?.text ?? "")",
                    clock: ridden?.clock),
                fare.map { Presentation.Line("Fare \($0.text.isolated)") }, note,
            ].compactMap(\.self),
            compactLeading: status, compactTrailing: ridden ?? fare ?? Presentation.Line(""),
            minimal: ridden ?? status,
            expanded: Presentation.Expanded(
                leading: Presentation.Line(attributes.bikeName ?? "Bicycle"),
                trailing: ridden ?? Presentation.Line(""), center: status,
                bottom: note ?? fare ?? title))
    }

    /// Where the ride stands, in words.
    static func statusText(_ state: OrderAttributes.ContentState) -> String {
        switch state.stage {
        case nil: state.status == .unstarted ? "Ready for you" : "Riding"
        case .unlocked: "Unlocked"
        case .riding: "Riding"
        case .paused: "Paused"
        case .ended: "Ride ended"
        }
    }

    private static func title(_ attributes: OrderAttributes) -> String {
        let bike = attributes.bikeName ?? "Bicycle"
        guard attributes.orderNumber != 0 else { return bike }
        return "\(bike.isolated), order \(attributes.orderNumber)"
    }

    /// Time in the saddle: running, or as it stands.
    private static func ridden(_ state: OrderAttributes.ContentState) -> Presentation.Line? {
        if let clock = state.rideClock {
            return Presentation.Line("", clock: .countUp(from: Moment(clock)))
        }
        return state.riddenSeconds.map { Presentation.Line("\($0 / 60) min") }
    }
}
