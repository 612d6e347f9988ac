public import Domain

extension MatchKind {
    /// The score says more than the last event in words.
    public static func trimmed(
        _ contentState: MatchAttributes.ContentState
    ) -> MatchAttributes.ContentState? {
        guard let text = contentState.lastEvent else { return nil }
        var trimmed = contentState
        trimmed.lastEvent = text.halved
        return trimmed
    }
}
