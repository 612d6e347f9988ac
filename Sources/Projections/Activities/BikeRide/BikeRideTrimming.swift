public import Domain

extension BikeRideKind {
    /// The reason goes first, then the fare.
    public static func trimmed(
        _ contentState: OrderAttributes.ContentState
    ) -> OrderAttributes.ContentState? {
        var trimmed = contentState
        if let text = contentState.note {
            trimmed.note = text.halved
        } else if contentState.fare != nil {
            trimmed.fare = nil
        } else {
            return nil
        }
        return trimmed
    }
}
