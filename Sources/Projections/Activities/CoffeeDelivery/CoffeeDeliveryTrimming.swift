public import Domain

extension CoffeeDeliveryKind {
    /// The café's reason may be long; status and time say what matters.
    public static func trimmed(
        _ contentState: CoffeeDeliveryAttributes.ContentState
    ) -> CoffeeDeliveryAttributes.ContentState? {
        guard let text = contentState.note else { return nil }
        var trimmed = contentState
        trimmed.note = text.halved
        return trimmed
    }
}
