import Encodings
import EventLoop
import ObjectStorage
import TLS

/// Objects of a bucket whose keys begin alike. An object is written whole by one request, so a file
/// is in memory until it is finished.
final class BucketFiles: ArchiveStorage {
    private let layout: Layout
    private let client: BucketClient
    private var writing: (name: String, bytes: [UInt8])?

    init(_ layout: Layout, in bucket: Bucket, on loop: EventLoop) {
        self.layout = layout
        client = BucketClient(bucket, on: loop)
    }

    let readBytesMax = Limits.bucketReadBytes

    /// A bucket has no directories.
    func prepare() {}

    func read(
        _ name: String, from offset: Int, bytesMax: Int
    ) async throws(ArchiveError) -> [UInt8]? {
        do throws(BucketError) {
            return try await client.get(layout.key(of: name), from: offset, bytesMax: bytesMax)
        } catch { throw failure(error, name) }
    }

    func begin(_ name: String) {
        writing = (name, [])
    }

    func write(_ bytes: [UInt8]) throws(ArchiveError) {
        guard let name = writing?.name, let count = writing?.bytes.count else {
            preconditionFailure("no file was begun")
        }
        guard count + bytes.count <= Limits.objectBytesMax else {
            throw .file(
                layout.path(of: name),
                "it would have more than \(Limits.objectBytesMax >> 20) MiB; export to a place that"
                    + " does not end in .ndjson, where it becomes several objects")
        }
        writing?.bytes += bytes
    }

    func finish() async throws(ArchiveError) {
        guard let (name, bytes) = writing else { preconditionFailure("no file was begun") }
        writing = nil
        try await put(
            bytes, as: name,
            name == layout.manifestName ? "application/json" : "application/x-ndjson")
    }

    /// An object cannot grow, so what is added is one of its own, in a folder that is called as the
    /// file would be. Its name is its digest: what is added again is there once.
    func add(_ lines: [UInt8], toEndOf name: String) async throws(ArchiveError) {
        let digest = Hexadecimal.encode(SHA256.hash(lines))
        try await put(lines, as: "\(name)/\(digest).ndjson", "application/x-ndjson")
    }

    func close() async { await client.close() }

    /// Counts only when the bucket gives back what was sent. Servers check the digest that is
    /// signed with the request, but not all do, and what they say of an object differs.
    private func put(
        _ bytes: [UInt8], as name: String, _ contentType: String
    ) async throws(ArchiveError) {
        do throws(BucketError) {
            try await client.put(layout.key(of: name), bytes, contentType: contentType)
        } catch { throw failure(error, name) }
        var offset = 0
        while offset < bytes.count {
            let part = try await read(name, from: offset, bytesMax: readBytesMax) ?? []
            guard !part.isEmpty,
                bytes[offset...].prefix(part.count).elementsEqual(part)
            else {
                throw .damaged(
                    file: layout.path(of: name), "the bucket does not give back what was sent")
            }
            offset += part.count
        }
    }

    private func failure(_ error: BucketError, _ name: String) -> ArchiveError {
        if error == .interrupted { return .interrupted }
        return .file(layout.path(of: name), error.description)
    }
}
