public import Domain
public import EventStore

/// Why a replay could not be made.
public enum ReplayError: Error, Hashable, Sendable {
    case store(EventStoreError)
    /// An export cannot be read; what is wrong with it, for people.
    case export(String)
    /// The activity has no events; `similar` are ids that look like it.
    case noSuchActivity(ActivityID, similar: [ActivityID])
    /// The same, in a log of which activities were dropped; these directories have them.
    case perhapsArchived(ActivityID, similar: [ActivityID], places: [String])
    /// The activity has no such version; it has so many.
    case noSuchVersion(ActivityID, Int64, versions: Int64)
    /// Nothing had happened to the activity by then; its first event was recorded later.
    case beforeFirst(ActivityID, Moment, first: Moment)
    /// The export does not have the activity from its first event on.
    case beginningMissing(ActivityID, version: Int64)
    /// A newer version of Islet has stored policies that this one cannot read.
    case policiesOfNewerVersion
    /// All that is wrong with a policy that was to be tried.
    case policy([String])
    /// All that is wrong with what a fold has written.
    case trace(String)
    /// Activities were dropped or erased while the log was read.
    case changedMeanwhile
    /// The caller gave up.
    case interrupted
}

extension ReplayError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .store(let error): return "the store failed: \(error)"
        case .export(let reason), .trace(let reason): return reason
        case .noSuchActivity(let activity, let similar):
            return "there is no activity '\(activity)'" + Self.hint(similar)
        case .perhapsArchived(let activity, let similar, let places):
            return "there is no activity '\(activity)' in the database\(Self.hint(similar))"
                + (similar.isEmpty ? "; if" : " If") + " it ended long ago it is archived: read it "
                + "with --from \(places.joined(separator: " or "))"
                + (places.count > 1 ? ", or with several that follow each other" : "")
        case .noSuchVersion(let activity, let version, let versions):
            return "'\(activity)' has no version \(version); it has 1 to \(versions)"
        case .beforeFirst(let activity, let moment, let first):
            return "nothing was known of '\(activity)' at \(moment.rfc3339); its first event was "
                + "recorded at \(first.rfc3339)"
        case .beginningMissing(let activity, let version):
            return "'\(activity)' begins with version \(version) here, so it cannot be folded: "
                + "give the export before this one too, by one more --from, or export it whole "
                + "with islet events export --activity \(activity)"
        case .policiesOfNewerVersion:
            return "a newer version of Islet has stored policies that this one cannot read: bring "
                + "this program up to date"
        case .policy(let errors): return errors.joined(separator: "\n")
        case .changedMeanwhile:
            return "activities were dropped or erased while the log was read, so some of them were "
                + "read in part: run it again when islet archive or islet erase has ended"
        case .interrupted: return "interrupted"
        }
    }

    private static func hint(_ similar: [ActivityID]) -> String {
        let names = similar.map(\.rawValue).joined(separator: ", ")
        return names.isEmpty ? "" : "; did you mean \(names)?"
    }
}

/// What a call of the store gives.
func asked<Answer>(
    _ ask: @autoclosure () async throws(EventStoreError) -> Answer
) async throws(ReplayError) -> Answer {
    do throws(EventStoreError) { return try await ask() } catch { throw .store(error) }
}
