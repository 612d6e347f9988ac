public import Domain

extension PizzaDeliveryKind {
    /// The merchant's reason may be long; stage and times say what matters.
    public static func trimmed(
        _ contentState: PizzaDeliveryAttributes.ContentState
    ) -> PizzaDeliveryAttributes.ContentState? {
        guard let text = contentState.note else { return nil }
        var trimmed = contentState
        trimmed.note = text.halved
        return trimmed
    }
}
