public import Domain

/// Reads a sound export's events, from front to back or from any position on. One call at a time.
/// It has no keys: marks stand for what is sealed, the same for equal values.
public actor ArchiveReader {
    public nonisolated let manifest: Manifest
    private var lines: ArchiveLines
    /// What was read and not asked for yet.
    private var ahead: ArraySlice<RecordedEvent> = []
    /// Up to which everything was given out, or passed by.
    private var position: Int64

    /// Checks the whole export first.
    public static func open(
        _ layout: Layout, report: ProgressReport
    ) async throws(ArchiveError) -> ArchiveReader {
        ArchiveReader(try await ArchiveLines.open(layout, report: report))
    }

    private init(_ lines: ArchiveLines) {
        self.lines = lines
        manifest = lines.manifest
        position = lines.manifest.selection.after
    }

    public func close() async { await lines.close() }

    /// - Returns: the events of a range of positions, in order of position. Those of one that comes
    ///   before what was asked last are read again.
    public func events(
        _ positions: ClosedRange<Int64>
    ) async throws(ArchiveError) -> [RecordedEvent] {
        var lines = lines
        defer { self.lines = lines }
        if positions.lowerBound <= position {
            await lines.rewind(to: positions.lowerBound)
            ahead = []
        }
        var events: [RecordedEvent] = []
        reading: while true {
            while let next = ahead.first {
                if next.position > positions.upperBound { break reading }
                if next.position >= positions.lowerBound { events.append(next) }
                ahead.removeFirst()
            }
            let batch = try await lines.next()
            if batch.isEmpty { break }
            let isSealed = manifest.selection.isSealed == true
            ahead = batch.map { isSealed ? $0.opened(by: nil, orElse: "sealed-").event : $0 }[...]
        }
        position = positions.upperBound
        return events
    }
}
