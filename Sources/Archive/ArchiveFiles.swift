import Domain
import Encodings
import EventLoop
import Foundation
import TLS

/// The files of one export, wherever they lie. Reading and writing files blocks, so it happens on a
/// thread of its own.
actor ArchiveFiles {
    /// What a whole file turned out to be.
    struct Contents: Hashable {
        var bytes: Int
        var sha256: String
    }

    let layout: Layout
    private let loop = EventLoop(name: "archive")
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let storage: any ArchiveStorage
    private let digest = SHA256Stream()
    /// Bytes of the segment that was begun.
    private var writtenBytes: Int?
    private var reading: LineReader?

    init(_ layout: Layout) {
        self.layout = layout
        storage = layout.open(on: loop)
    }

    /// Files that are closed when `body` is done, however it ends.
    static func with<Value>(
        _ layout: Layout, _ body: (ArchiveFiles) async throws(ArchiveError) -> Value
    ) async throws(ArchiveError) -> Value {
        let files = ArchiveFiles(layout)
        let result = await Result { () async throws(ArchiveError) in try await body(files) }
        await files.close()
        return try result.get()
    }

    func close() async {
        reading = nil
        await storage.close()
        await loop.shutdown()
    }

    func prepare() async throws(ArchiveError) { try await storage.prepare() }

    func exists(_ name: String) async throws(ArchiveError) -> Bool {
        try await storage.read(name, from: 0, bytesMax: 1) != nil
    }

    /// - Returns: nil when there is none.
    func manifest() async throws(ArchiveError) -> Manifest? {
        var bytes: [UInt8] = []
        while true {
            let part = try await storage.read(
                layout.manifestName, from: bytes.count, bytesMax: storage.readBytesMax)
            guard let part else { return nil }
            if part.isEmpty { break }
            bytes += part
            guard bytes.count <= Limits.manifestBytesMax else {
                throw .unreadableManifest(layout.manifestPath)
            }
        }
        do { return try JSONDecoder().decode(Manifest.self, from: Data(bytes)) } catch {
            throw .unreadableManifest(layout.manifestPath)
        }
    }

    /// A reader finds the old one or the new one meanwhile.
    func write(_ manifest: Manifest) async throws(ArchiveError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(manifest) else {
            preconditionFailure("a manifest is numbers and strings")
        }
        try await storage.begin(layout.manifestName)
        try await storage.write(Array(data) + [UInt8(ascii: "\n")])
        try await storage.finish()
    }

    /// Returns when a crash cannot lose them.
    func append(_ lines: [UInt8], toEndOf name: String) async throws(ArchiveError) {
        guard !lines.isEmpty else { return }
        try await storage.add(lines, toEndOf: name)
    }

    /// Begins a segment, in place of what a crash may have left there.
    func beginSegment(_ name: String) async throws(ArchiveError) {
        try await storage.begin(name)
        writtenBytes = 0
        _ = digest.finish()
    }

    func append(_ lines: [UInt8]) async throws(ArchiveError) {
        try await storage.write(lines)
        lines.withUnsafeBytes { digest.update($0) }
        writtenBytes? += lines.count
    }

    /// Gives the segment its name once no crash can lose it.
    func finishSegment() async throws(ArchiveError) -> Contents {
        guard let bytes = writtenBytes else { preconditionFailure("no segment was begun") }
        writtenBytes = nil
        try await storage.finish()
        return Contents(bytes: bytes, sha256: Hexadecimal.encode(digest.finish()))
    }

    /// Reads no further than to see that it is longer than the manifest says.
    /// - Returns: nil when there is no such file.
    func contents(of segment: Manifest.Segment) async throws(ArchiveError) -> Contents? {
        let digest = SHA256Stream()
        var bytes = 0
        while bytes <= segment.bytes {
            if Task.isCancelled { throw .interrupted }
            let part = try await storage.read(
                segment.file, from: bytes, bytesMax: storage.readBytesMax)
            guard let part else { return nil }
            if part.isEmpty { break }
            part.withUnsafeBytes { digest.update($0) }
            bytes += part.count
        }
        return Contents(bytes: bytes, sha256: Hexadecimal.encode(digest.finish()))
    }

    /// Reads no more than the last byte.
    func checkSize(of segment: Manifest.Segment) async throws(ArchiveError) {
        let start = max(0, segment.bytes - 1)
        let path = layout.path(of: segment.file)
        guard let rest = try await storage.read(segment.file, from: start, bytesMax: 2) else {
            throw .damaged(file: path, "it is missing")
        }
        guard rest.count == segment.bytes - start else {
            throw .damaged(
                file: path, "it does not have the \(segment.bytes) bytes that the manifest says")
        }
    }

    var isReading: Bool { reading != nil }

    func beginReading(_ name: String) {
        reading = LineReader(name, in: storage, digest: digest)
        _ = digest.finish()
    }

    func nextLines() async throws(ArchiveError) -> [[UInt8]] {
        guard let reading else { preconditionFailure("no segment is being read") }
        return try await reading.next()
    }

    func finishReading() -> Contents {
        let bytes = reading?.bytes ?? 0
        reading = nil
        return Contents(bytes: bytes, sha256: Hexadecimal.encode(digest.finish()))
    }
}
