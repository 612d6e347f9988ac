/// A place in a log or in an activity's history, as somebody names it.
public enum HistoryPlace: Hashable, Sendable {
    /// A position, or a version of an activity.
    case number(Int64)
    /// As it was known then.
    case moment(Moment)
}
