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

/// What a report means for the time of an activity.
struct LifeReport {
    /// By the facts.
    var phase: Phase
    var plannedStart: Moment?
    var staleAt: Moment?
    /// Set when the facts say that all is over.
    var ending: Ending?
    var promise: ActivityPromise?
    /// Whether phones are shown something else.
    var isVisible: Bool
}
