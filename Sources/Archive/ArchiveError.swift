public import EventStore

/// Why an export or import ended. Names files, lines, positions and an activity, never what an
/// event says.
public enum ArchiveError: Error, Hashable, Sendable {
    case store(EventStoreError)
    /// A file cannot be opened, read or written.
    case file(String, String)
    /// There is no manifest at that path.
    case noManifest(String)
    /// The manifest is not the JSON that a manifest is.
    case unreadableManifest(String)
    /// Written by a program that this one does not know.
    case newerFormat(Int)
    /// The export was interrupted and not taken up again.
    case incomplete
    /// The manifest does not fit itself.
    case contradictory(String)
    /// The last chain value, which is not the one that was asked for.
    case otherChain(String)
    /// A file of the export is not what the manifest says.
    case damaged(file: String, String)
    /// A line is no event, or not the one that belongs there.
    case line(file: String, number: Int, String)
    /// The place to export to has something else in it, or is written to by somebody else.
    case occupied(String)
    /// Another process archives the tenant, or removes it.
    case busy(tenant: String)
    /// Islet's clock reported something before each try to remove the tenant.
    case overtaken(tenant: String)
    /// Places, each with what is wrong there, of files whose events are no longer in the log.
    case outOfReach([String])
    /// The same of files whose events were to be dropped from the log.
    case unreadable([String])
    /// A finished export, which takes nothing in any more, of a log that has gone on.
    case finished(String, through: Int64)
    /// Exports that were given together and cannot be read as one.
    case noSeries(String)
    /// Positions that the log lacks.
    case hole(from: Int64, to: Int64)
    /// Positions in the export and here of two events with one `id` and `source`.
    case conflict(position: Int64, here: Int64)
    /// The same of two events of the clock, with the name of what they are about.
    case clockConflict(activity: String, position: Int64, here: Int64)
    /// An event was recorded later than this machine's clock says it is.
    case fromTheFuture(position: Int64)
    /// An event that no log of Islet's has, with the reason.
    case unfit(position: Int64, String)
    /// The caller gave up.
    case interrupted
}

extension ArchiveError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .store(let error): "the store failed: \(error)"
        case .file(let path, let reason): "\(path): \(reason)"
        case .noManifest(let path): "\(path) does not exist: there is no export"
        case .unreadableManifest(let path): "\(path) is not the manifest of an export"
        case .newerFormat(let version):
            "the export has format version \(version), which this version of Islet does not know"
        case .incomplete:
            "the export was interrupted before it was complete; run the export again, it goes on "
                + "where it stopped"
        case .contradictory(let reason): "the manifest contradicts itself: \(reason)"
        case .otherChain(let chain): "the export's chain value is \(chain), not the one given"
        case .damaged(let file, let reason):
            "\(file) is not the file that was exported: \(reason)"
        case .line(let file, let number, let reason): "\(file), line \(number): \(reason)"
        case .occupied(let reason): reason
        case .busy(let tenant):
            "another islet archive, or islet tenants remove, is at work on tenant \"\(tenant)\": "
                + "let it end, and run this again; nothing was changed"
        case .overtaken(let tenant):
            "tenant \"\(tenant)\" is not removed yet: Islet's clock reported something before each "
                + "of \(Limits.removalsMax) tries. Its keys are gone, and its log until then is "
                + "archived. Run the same command again, it goes on; if it ends like this again, "
                + "stop the nodes meanwhile"
        case .outOfReach(let places):
            "what was dropped from the log is only in files that cannot be read: "
                + "\(Self.listed(places)); bring them back there, or with the same names below the "
                + "place that is given now, and run it again; nothing was removed"
        case .unreadable(let places):
            "what is old enough to be dropped is in archives that cannot be read: "
                + "\(Self.listed(places)); bring them back there, or with the same names below the "
                + "place that is given now, and run it again; nothing of theirs was dropped"
        case .finished(let path, let position):
            "\(path) is a finished export up to position \(position), and there is more by now: "
                + "export to another place; nothing was changed"
        case .noSeries(let reason): "these exports are not parts of one log: \(reason)"
        case .hole(let first, let last):
            "positions \(first) to \(last) are missing in the log: events were lost; restore them "
                + "from a backup"
        case .conflict(let position, let here):
            "the event at position \(position) of the export has the id and source of the event "
                + "at position \(here) here, and says something else; the import stopped there"
        case .clockConflict(let activity, let position, let here):
            "the event at position \(position) of the export has the id of the event at position "
                + "\(here) here, and says something else. Islet's clock reported both of "
                + "\(activity): it was dropped and reported again, or it went on here by itself. "
                + "Import the export into a tenant of its own; the import stopped there"
        case .fromTheFuture(let position):
            "the event at position \(position) was recorded later than this machine's clock says "
                + "it is now; set the clock"
        case .unfit(let position, let reason):
            "the event at position \(position) of the export is none that the API would take: "
                + "\(reason); the import stopped there"
        case .interrupted: "interrupted; run the same command again to go on"
        }
    }

    private static func listed(_ places: [String]) -> String {
        let named = places.prefix(Limits.placesNamedMax).joined(separator: ", ")
        let more = places.count - Limits.placesNamedMax
        return more > 0 ? "\(named) and \(more) more" : named
    }
}

/// What a call of the store gives.
func asked<Answer>(
    _ ask: @autoclosure () async throws(EventStoreError) -> Answer
) async throws(ArchiveError) -> Answer {
    do throws(EventStoreError) { return try await ask() } catch { throw .store(error) }
}
