public import Domain

extension CoffeeDeliveryKind {
    public static func presentation(
        attributes: CoffeeDeliveryAttributes,
        contentState: CoffeeDeliveryAttributes.ContentState
    ) -> Presentation {
        let coffee = Presentation.Line(attributes.coffeeName)
        let status = Presentation.Line(statusText(contentState))
        let short = Presentation.Line(shortText(contentState))
        let clock = contentState.estimatedAt.map { Presentation.Clock.countdown(to: Moment($0)) }
        let countdown = clock.map { Presentation.Line("", clock: $0) }
        let note = contentState.note.map { Presentation.Line($0) }
        return Presentation(
            lockScreen: [
                coffee, status, clock.map { Presentation.Line("Arriving in", clock: $0) }, note,
            ].compactMap(\.self),
            compactLeading: short, compactTrailing: countdown ?? Presentation.Line(""),
            minimal: countdown ?? short,
            expanded: Presentation.Expanded(
                leading: coffee, trailing: countdown ?? short, center: status,
                bottom: note ?? coffee))
    }

    private static func statusText(_ state: CoffeeDeliveryAttributes.ContentState) -> String {
        switch (state.outcome, state.currentStatus) {
        case (.delivered, _): "Delivered"
        case (.cancelled, _): "Cancelled"
        case (nil, .received): "Order received"
        case (nil, .preparing): "Being brewed"
        case (nil, .outForDelivery): "Out for delivery"
        }
    }

    private static func shortText(_ state: CoffeeDeliveryAttributes.ContentState) -> String {
        switch (state.outcome, state.currentStatus) {
        case (.delivered, _): "Here"
        case (.cancelled, _): "Cancelled"
        case (nil, .received): "Coffee"
        case (nil, .preparing): "Brewing"
        case (nil, .outForDelivery): "On its way"
        }
    }
}
