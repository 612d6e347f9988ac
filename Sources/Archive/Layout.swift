import EventLoop
import Foundation
public import ObjectStorage

/// Where the files of an export lie: many segments in a directory, or one file of that name with
/// its manifest beside it.
public struct Layout: Hashable, Sendable {
    let directory: String
    let manifestName: String
    /// Nil in a directory.
    let singleName: String?
    /// Nil for a directory of this machine.
    private let bucket: Bucket?
    var segmentEventsMax = Limits.segmentEventsMax
    private var segmentBytesMax = Limits.segmentBytesMax

    /// - Parameters:
    ///   - place: one that ends in `.ndjson` is a single file, any other has segments.
    ///   - bucket: the one that the place names, as a `BucketPath` writes it; nil for a place on
    ///     this machine.
    public init(_ place: String, in bucket: Bucket? = nil) {
        self.bucket = bucket
        if !place.hasSuffix(".ndjson") {
            (directory, singleName) = (place, nil)
        } else if bucket != nil, let slash = place.lastIndex(of: "/") {
            directory = String(place[..<slash])
            singleName = String(place[place.index(after: slash)...])
        } else {
            let url = URL(filePath: place)
            (directory, singleName) = (url.deletingLastPathComponent().path, url.lastPathComponent)
        }
        manifestName = [singleName, "manifest.json"].compactMap(\.self).joined(separator: ".")
        if bucket != nil { segmentBytesMax = Limits.bucketSegmentBytesMax }
    }

    /// The one of this name inside.
    func inside(_ name: String) -> Layout { Layout("\(directory)/\(name)", in: bucket) }

    /// The one place where it matters what sort of place it is.
    func open(on loop: EventLoop) -> any ArchiveStorage {
        bucket.map { BucketFiles(self, in: $0, on: loop) } ?? DirectoryFiles(self)
    }

    /// - Parameter number: from 1.
    func segmentName(_ number: Int) -> String {
        singleName ?? String(format: "events-%06ld.ndjson", number)
    }

    /// The directory, or the single file.
    var place: String { singleName.map(path(of:)) ?? directory }

    /// As it is noted: the same from whichever directory it is looked for.
    var notedPlace: String {
        bucket == nil ? URL(fileURLWithPath: place).path : place
    }

    var manifestPath: String { path(of: manifestName) }

    func path(of name: String) -> String { "\(directory)/\(name)" }

    /// Of an object in the bucket.
    func key(of name: String) -> String {
        let parts = path(of: name).split(separator: "/", maxSplits: 2)
        return parts.count == 3 ? String(parts[2]) : name
    }

    func partialPath(of name: String) -> String { path(of: name) + ".partial" }

    /// By the names under which they are read: an export that is a single file may have been given
    /// another name, and what is named is read, never a file that still has the old one.
    func segments(of manifest: Manifest) throws(ArchiveError) -> [Manifest.Segment] {
        guard let singleName else { return manifest.segments }
        guard manifest.segments.count <= 1 else {
            throw .contradictory("it is of \(manifest.segments.count) files and not of one")
        }
        return manifest.segments.map { segment in
            var segment = segment
            segment.file = singleName
            return segment
        }
    }

    /// A single file never ends early.
    func isFull(events: Int, bytes: Int) -> Bool {
        singleName == nil
            && (events >= segmentEventsMax || bytes >= segmentBytesMax)
    }
}
