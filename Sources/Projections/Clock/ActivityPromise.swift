public import Domain

/// What people were promised.
public struct ActivityPromise: Hashable, Sendable {
    /// When what was promised is to come.
    public var at: Moment
    /// Silence so long past it is worth a word, and again at twice, four times …, once the activity
    /// is stale.
    public var stepSeconds: Double

    /// - Returns: nil when nothing is to be said.
    public init?(at moment: Moment, stepSeconds: Double) {
        guard stepSeconds > 0 else { return nil }
        at = moment
        self.stepSeconds = stepSeconds
    }
}
