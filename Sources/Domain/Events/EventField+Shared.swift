/// Fields that events of several kinds have.
extension EventField {
    /// When the thing is expected to arrive, as of the event.
    public static let estimatedAt = EventField.optional("estimatedAt", .moment)

    /// Why, in the merchant's own words.
    public static let reason = EventField.optional(
        "reason", .text(bytesMax: Limits.reasonBytesMax))
}
