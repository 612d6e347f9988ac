public import Domain

/// Sound exports of one log, each going on where the one before it ends, read as one: an activity
/// may begin in one and go on in the next.
public struct ArchiveSeries: Sendable {
    private let readers: [ArchiveReader]
    /// Of the exports, in their order.
    public var manifests: [Manifest] { readers.map { $0.manifest } }
    /// Name of the tenant that was exported.
    public let tenant: String
    /// The only activity; nil when there are those of all.
    public let activity: ActivityID?
    /// Position after which it begins.
    public let after: Int64
    /// 0 when there is no event.
    public let lastPosition: Int64

    /// Checks each of them first.
    /// - Parameter layouts: at least one, in any order.
    /// - Throws: also `.noSeries`.
    public static func open(
        _ layouts: [Layout], report: ProgressReport
    ) async throws(ArchiveError) -> ArchiveSeries {
        var parts: [(place: String, reader: ArchiveReader)] = []
        do throws(ArchiveError) {
            for layout in layouts {
                parts.append((layout.place, try await ArchiveReader.open(layout, report: report)))
            }
            return try ArchiveSeries(parts)
        } catch {
            for part in parts { await part.reader.close() }
            throw error
        }
    }

    private init(_ parts: [(place: String, reader: ArchiveReader)]) throws(ArchiveError) {
        let parts = parts.sorted { $0.reader.manifest.begin < $1.reader.manifest.begin }
        guard let first = parts.first?.reader.manifest else {
            preconditionFailure("no export was given")
        }
        // Older exports do not say which log they are of.
        let known = parts.first { $0.reader.manifest.origin != nil } ?? parts[0]
        for part in parts {
            let (manifest, other) = (part.reader.manifest, known.reader.manifest)
            guard manifest.tenant == other.tenant,
                manifest.origin == nil || manifest.origin == other.origin
            else { throw .noSeries("\(part.place) and \(known.place) are of two logs") }
            guard manifest.selection.isRedacted == other.selection.isRedacted else {
                throw .noSeries("only one of \(part.place) and \(known.place) is redacted")
            }
        }
        var (end, before) = (first.end, parts[0].place)
        for part in parts.dropFirst() {
            let manifest = part.reader.manifest
            guard manifest.selection.activity == nil, first.selection.activity == nil else {
                throw .noSeries("one of them has a single activity's events only; give it alone")
            }
            guard manifest.selection.after <= end else {
                throw .noSeries(
                    "positions \(end + 1) to \(manifest.selection.after) are missing between "
                        + "\(before) and \(part.place); give the export that has them too")
            }
            if manifest.end > end { (end, before) = (manifest.end, part.place) }
        }
        readers = parts.map { $0.reader }
        tenant = first.tenant
        activity = first.selection.activity.map(ActivityID.init(rawValue:))
        after = first.selection.after
        lastPosition = parts.map { $0.reader.manifest.lastPosition }.max() ?? 0
    }

    public func close() async {
        for reader in readers { await reader.close() }
    }

    /// - Returns: the events of a range of positions, in order of position.
    public func events(
        _ positions: ClosedRange<Int64>
    ) async throws(ArchiveError) -> [RecordedEvent] {
        var events: [RecordedEvent] = []
        var next = positions.lowerBound
        for reader in readers {
            let through = min(reader.manifest.end, positions.upperBound)
            // What two of them have is read once.
            guard next <= through else { continue }
            events += try await reader.events(next...through)
            next = through + 1
        }
        return events
    }
}

extension Manifest {
    /// Where it begins; of those that begin together, the one that ends first comes first.
    fileprivate var begin: (Int64, Int64) { (selection.after, end) }

    /// The last position that it accounts for.
    fileprivate var end: Int64 { max(through, selection.after) }
}
