import Domain
import EventStore

/// The lines of a sound export, a batch at a time: every file is checked against the manifest
/// before the first line is given out, and again while it is read.
struct ArchiveLines {
    let manifest: Manifest
    private let files: ArchiveFiles
    private var order: LineOrder
    /// By the names under which they are read.
    private let segments: [Manifest.Segment]
    /// Segments that have not been read to their end.
    private var rest: ArraySlice<Manifest.Segment>

    /// - Parameter chain: the last chain value, where someone has noted it.
    static func open(
        _ layout: Layout, chain: String? = nil, report: ProgressReport
    ) async throws(ArchiveError) -> ArchiveLines {
        let files = ArchiveFiles(layout)
        do throws(ArchiveError) {
            guard let manifest = try await files.manifest() else {
                throw .noManifest(layout.manifestPath)
            }
            try manifest.check(chain: chain)
            let segments = try layout.segments(of: manifest)
            try await check(segments, files, report)
            return ArchiveLines(
                manifest: manifest, files: files, order: LineOrder(manifest.selection),
                segments: segments, rest: segments[...])
        } catch {
            await files.close()
            throw error
        }
    }

    func close() async { await files.close() }

    /// Begins again with the segment that has the position.
    mutating func rewind(to position: Int64) async {
        if await files.isReading { _ = await files.finishReading() }
        rest = segments.drop { $0.lastPosition < position }
        order = LineOrder(
            manifest.selection, after: rest.first.map { $0.firstPosition - 1 })
    }

    private static func check(
        _ segments: [Manifest.Segment], _ files: ArchiveFiles, _ report: ProgressReport
    ) async throws(ArchiveError) {
        let total = segments.reduce(0) { $0 + Int64(clamping: $1.bytes) }
        var done: Int64 = 0
        for segment in segments {
            if Task.isCancelled { throw .interrupted }
            guard let contents = try await files.contents(of: segment) else {
                throw .damaged(file: segment.file, "it is missing")
            }
            try compare(segment, contents)
            done += Int64(segment.bytes)
            report(ArchiveProgress(step: .checking, done: done, total: total))
        }
    }

    private static func compare(
        _ segment: Manifest.Segment, _ contents: ArchiveFiles.Contents
    ) throws(ArchiveError) {
        if contents.bytes != segment.bytes {
            // A longer one is not read to its end.
            let found = contents.bytes > segment.bytes ? "more" : "\(contents.bytes)"
            throw .damaged(
                file: segment.file, "it has \(found) bytes, the manifest says \(segment.bytes)")
        }
        if contents.sha256 != segment.sha256 {
            throw .damaged(file: segment.file, "its SHA-256 is not the one in the manifest")
        }
    }

    mutating func next() async throws(ArchiveError) -> [RecordedEvent] {
        while let segment = rest.first {
            if Task.isCancelled { throw .interrupted }
            if await !files.isReading {
                await files.beginReading(segment.file)
                order.begin(segment)
            }
            let lines = try await files.nextLines()
            guard lines.isEmpty else { return try events(in: lines) }
            try order.end()
            try await Self.compare(segment, files.finishReading())
            rest.removeFirst()
        }
        return []
    }

    private mutating func events(in lines: [[UInt8]]) throws(ArchiveError) -> [RecordedEvent] {
        var events: [RecordedEvent] = []
        events.reserveCapacity(lines.count)
        for line in lines { events.append(try order.take(line)) }
        return events
    }
}
