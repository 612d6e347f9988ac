public import Domain

extension PizzaDeliveryKind {
    public static func presentation(
        attributes: PizzaDeliveryAttributes, contentState: PizzaDeliveryAttributes.ContentState
    ) -> Presentation {
        let status = Presentation.Line(statusText(contentState))
        let countdown = Presentation.Line(
            "", clock: .countdown(to: Moment(contentState.deliveryTimer.upperBound)))
        let hasEnded = contentState.stage?.isEnding == true
        let arrival =
            hasEnded ? nil : Presentation.Line("Arriving in", clock: countdown.clock)
        let short = Presentation.Line(shortText(contentState))
        return Presentation(
            lockScreen: [
                Presentation.Line(title(attributes)), status, arrival,
                contentState.note.map { Presentation.Line($0) },
            ].compactMap(\.self),
            compactLeading: short,
            compactTrailing: hasEnded ? Presentation.Line("") : countdown,
            minimal: hasEnded ? short : countdown,
            expanded: Presentation.Expanded(
                leading: Presentation.Line(count(attributes.numberOfPizzas)),
                trailing: hasEnded ? Presentation.Line(attributes.totalAmount) : countdown,
                center: status,
                bottom: Presentation.Line(contentState.note ?? title(attributes))))
    }

    private static func title(_ attributes: PizzaDeliveryAttributes) -> String {
        guard !attributes.orderNumber.isEmpty else { return "Your order" }
        let pizzas = count(attributes.numberOfPizzas)
        let number = attributes.orderNumber.isolated
        return "Order \(number): \(pizzas), \(attributes.totalAmount.isolated)"
    }

    private static func count(_ pizzas: Int) -> String {
        switch pizzas {
        case 0: "Pizza"
        case 1: "1 pizza"
        default: "\(pizzas) pizzas"
        }
    }

    private static func statusText(_ state: PizzaDeliveryAttributes.ContentState) -> String {
        let driver = state.driverName.isolated
        return switch state.stage {
        case .placed, .none: "Order received"
        case .accepted: "Order accepted"
        case .preparing: "In the oven"
        case .ready: "Ready and boxed"
        case .onTheWay: "\(driver) is on the way\(distance(state.distanceMeters))"
        case .arriving: "\(driver) is arriving\(distance(state.distanceMeters))"
        case .cancelled: "Cancelled"
        case .failed: "Could not be delivered"
        case .delivered: "Delivered"
        }
    }

    private static func shortText(_ state: PizzaDeliveryAttributes.ContentState) -> String {
        switch state.stage {
        case .placed, .accepted, .none: "Pizza"
        case .preparing: "Oven"
        case .ready: "Ready"
        case .onTheWay: "Driving"
        case .arriving: "Here"
        case .cancelled: "Cancelled"
        case .failed: "Failed"
        case .delivered: "Delivered"
        }
    }

    /// `, 1.2 km away`, or nothing.
    private static func distance(_ meters: Int?) -> String {
        guard let meters else { return "" }
        return meters < 1000
            ? ", \(meters) m away" : ", \(meters / 1000).\(meters % 1000 / 100) km away"
    }
}
