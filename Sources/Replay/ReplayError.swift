public import Domain
public import EventStore
public import Projections

/// Why a replay could not be made.
public enum ReplayError: Error, Hashable, Sendable {
    case store(EventStoreError)
    /// The activity has no events; `similar` are ids that look like it.
    case noSuchActivity(ActivityID, similar: [ActivityID])
    /// An event in the log cannot be folded by this version of Islet.
    case unfoldable(version: Int64, FoldError)
    /// A newer version of Islet has stored policies that this one cannot read.
    case policiesOfNewerVersion
}
