import Encodings
import EventLoop
import Foundation
import TLS

/// The files of one export. Reading and writing files blocks, so it happens on a thread of its own.
actor ArchiveFiles {
    /// What a whole file turned out to be.
    struct Contents: Hashable {
        var bytes: Int
        var sha256: String
    }

    let layout: Layout
    private let loop = EventLoop(name: "archive")
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let digest = SHA256Stream()
    private var writing: (file: FileDescriptor, name: String, bytes: Int)?
    private var reading: LineReader?

    init(_ layout: Layout) { self.layout = layout }

    func close() async {
        writing = nil
        reading = nil
        await loop.shutdown()
    }

    func makeDirectory() throws(ArchiveError) {
        do {
            try FileManager.default.createDirectory(
                atPath: layout.directory, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch { throw .file(layout.directory, "the directory cannot be made") }
    }

    func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: layout.path(of: name))
    }

    /// - Returns: nil when there is none.
    func manifest() throws(ArchiveError) -> Manifest? {
        guard exists(layout.manifestName) else { return nil }
        let file = try FileDescriptor.forReading(layout.manifestPath)
        var bytes: [UInt8] = []
        while true {
            let part = try file.read(bytesMax: Limits.readBytes)
            bytes += part
            guard bytes.count <= Limits.manifestBytesMax else {
                throw .unreadableManifest(layout.manifestPath)
            }
            if part.isEmpty { break }
        }
        do { return try JSONDecoder().decode(Manifest.self, from: Data(bytes)) } catch {
            throw .unreadableManifest(layout.manifestPath)
        }
    }

    /// Whoever reads meanwhile finds the old one or the new one.
    func write(_ manifest: Manifest) throws(ArchiveError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(manifest) else {
            preconditionFailure("a manifest is numbers and strings")
        }
        let partial = layout.partialPath(of: layout.manifestName)
        let file = try FileDescriptor.create(partial)
        try file.write(Array(data) + [UInt8(ascii: "\n")])
        try file.synchronize()
        try FileDescriptor.rename(partial, to: layout.manifestPath, in: layout.directory)
    }

    /// Begins a segment under another name, in place of what a crash may have left there.
    /// Returns when it is on the disk.
    func append(_ lines: [UInt8], toEndOf name: String) throws(ArchiveError) {
        guard !lines.isEmpty else { return }
        let file = try FileDescriptor.forAppending(layout.path(of: name))
        try file.write(lines)
        try file.synchronize()
    }

    func beginSegment(_ name: String) throws(ArchiveError) {
        writing = (try .create(layout.partialPath(of: name)), name, 0)
        _ = digest.finish()
    }

    func append(_ lines: [UInt8]) throws(ArchiveError) {
        guard let file = writing?.file else { preconditionFailure("no segment was begun") }
        try file.write(lines)
        lines.withUnsafeBytes { digest.update($0) }
        writing?.bytes += lines.count
    }

    /// Gives the segment its name once it is on the disk.
    func finishSegment() throws(ArchiveError) -> Contents {
        guard let (file, name, bytes) = writing else {
            preconditionFailure("no segment was begun")
        }
        writing = nil
        try file.synchronize()
        try FileDescriptor.rename(
            layout.partialPath(of: name), to: layout.path(of: name), in: layout.directory)
        return Contents(bytes: bytes, sha256: Hexadecimal.encode(digest.finish()))
    }

    func contents(of name: String) throws(ArchiveError) -> Contents {
        let file = try FileDescriptor.forReading(layout.path(of: name))
        let digest = SHA256Stream()
        var bytes = 0
        while true {
            let part = try file.read(bytesMax: Limits.readBytes)
            if part.isEmpty { break }
            part.withUnsafeBytes { digest.update($0) }
            bytes += part.count
        }
        return Contents(bytes: bytes, sha256: Hexadecimal.encode(digest.finish()))
    }

    var isReading: Bool { reading != nil }

    func beginReading(_ name: String) throws(ArchiveError) {
        reading = LineReader(
            file: try .forReading(layout.path(of: name)), name: name, digest: digest)
        _ = digest.finish()
    }

    func nextLines() throws(ArchiveError) -> [[UInt8]] {
        guard let reading else { preconditionFailure("no segment is being read") }
        return try reading.next()
    }

    func finishReading() -> Contents {
        let bytes = reading?.bytes ?? 0
        reading = nil
        return Contents(bytes: bytes, sha256: Hexadecimal.encode(digest.finish()))
    }
}
