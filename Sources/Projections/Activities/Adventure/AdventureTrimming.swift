public import Domain

extension AdventureKind {
    /// What happened is told more briefly; every app needs a word of it.
    public static func trimmed(
        _ contentState: AdventureAttributes.ContentState
    ) -> AdventureAttributes.ContentState? {
        guard let text = contentState.eventDescription.halved else { return nil }
        var trimmed = contentState
        trimmed.eventDescription = text
        return trimmed
    }
}
