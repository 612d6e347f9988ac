import EventLoop
import Foundation

/// A directory of this machine.
final class DirectoryFiles: ArchiveStorage {
    private let layout: Layout
    private var reading: (name: String, file: FileDescriptor)?
    private var writing: (name: String, file: FileDescriptor)?

    init(_ layout: Layout) { self.layout = layout }

    let readBytesMax = Limits.readBytes

    func prepare() throws(ArchiveError) {
        do {
            try FileManager.default.createDirectory(
                atPath: layout.directory, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw .file(
                layout.directory, "the directory cannot be made: \(SystemError.text(of: error))")
        }
    }

    func read(
        _ name: String, from offset: Int, bytesMax: Int
    ) throws(ArchiveError) -> [UInt8]? {
        // One that is replaced meanwhile is read on as it was.
        if offset == 0 || reading?.name != name {
            reading = try FileDescriptor.forReading(layout.path(of: name)).map { (name, $0) }
        }
        guard let file = reading?.file else { return nil }
        let bytes = try file.read(from: offset, bytesMax: bytesMax)
        if bytes.isEmpty { reading = nil }
        return bytes
    }

    func begin(_ name: String) throws(ArchiveError) {
        writing = (name, try .create(layout.partialPath(of: name)))
    }

    func write(_ bytes: [UInt8]) throws(ArchiveError) {
        guard let writing else { preconditionFailure("no file was begun") }
        try writing.file.write(bytes)
    }

    func finish() throws(ArchiveError) {
        guard let (name, file) = writing else { preconditionFailure("no file was begun") }
        writing = nil
        try file.synchronize()
        try FileDescriptor.rename(
            layout.partialPath(of: name), to: layout.path(of: name), in: layout.directory)
        // Until then it is locked.
        file.close()
    }

    func add(_ lines: [UInt8], toEndOf name: String) throws(ArchiveError) {
        let file = try FileDescriptor.forAppending(layout.path(of: name))
        // Of several tenants whose archives are here. What another one is writing has no end yet.
        try file.lock()
        let length = try file.length()
        let end = try endOfLines(in: file, of: length)
        if end < length { try file.truncate(to: end) }
        do throws(ArchiveError) {
            try file.write(lines)
            try file.synchronize()
        } catch {
            // What comes next must not be on one line with a part of this.
            try? file.truncate(to: end)
            throw error
        }
        if end == 0 { try FileDescriptor.synchronize(directory: layout.directory) }
    }

    /// Where the last line that has an end ends: a crash may have left a part of one after it.
    private func endOfLines(
        in file: FileDescriptor, of length: Int
    ) throws(ArchiveError) -> Int {
        var end = length
        while end > 0 {
            let start = max(0, end - readBytesMax)
            let bytes = try file.read(from: start, bytesMax: end - start)
            if let last = bytes.lastIndex(of: UInt8(ascii: "\n")) { return start + last + 1 }
            end = start
        }
        return 0
    }

    func close() {
        writing = nil
        reading = nil
    }
}
