import TLS

/// Reads a file line by line, and its digest with it.
final class LineReader {
    private(set) var bytes = 0
    private let storage: any ArchiveStorage
    private let name: String
    private let digest: SHA256Stream
    private var buffer: [UInt8] = []
    private var start = 0
    private var linesRead = 0
    private var isAtEnd = false

    init(_ name: String, in storage: any ArchiveStorage, digest: SHA256Stream) {
        self.storage = storage
        self.name = name
        self.digest = digest
    }

    func next() async throws(ArchiveError) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var lineBytes = 0
        while lines.count < Limits.batchEvents, lineBytes < Limits.batchBytesMax {
            guard let line = try await nextLine() else { break }
            lineBytes += line.count
            lines.append(line)
        }
        return lines
    }

    private func nextLine() async throws(ArchiveError) -> [UInt8]? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                linesRead += 1
                return Array(buffer[start..<end])
            }
            if isAtEnd {
                guard start == buffer.count else {
                    throw .damaged(file: name, "its last line has no end")
                }
                return nil
            }
            guard buffer.count - start <= Limits.lineBytesMax else {
                throw .line(file: name, number: linesRead + 1, "is too long for an event")
            }
            try await refill()
            searched = start
        }
    }

    private func refill() async throws(ArchiveError) {
        buffer.removeFirst(start)
        start = 0
        let part = try await storage.read(name, from: bytes, bytesMax: storage.readBytesMax)
        guard let part else { throw .damaged(file: name, "it is missing") }
        isAtEnd = part.isEmpty
        part.withUnsafeBytes { digest.update($0) }
        bytes += part.count
        buffer += part
    }
}
