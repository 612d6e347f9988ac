/// The result of one decision's text.
public struct TextResult: Hashable, Sendable {
    /// Nil when it had no text, or sent it by a push of its own, or nothing was sent yet, or too
    /// much follows to know.
    public var outcome: TextOutcome?
    /// Versions whose alerts went out in its words; it may have none of its own.
    public var reworded: [Int64]

    public init(outcome: TextOutcome? = nil, reworded: [Int64] = []) {
        self.outcome = outcome
        self.reworded = reworded
    }
}
