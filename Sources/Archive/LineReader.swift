import TLS

final class LineReader {
    private(set) var bytes = 0
    private let file: FileDescriptor
    private let name: String
    private let digest: SHA256Stream
    private var buffer: [UInt8] = []
    private var start = 0
    private var linesRead = 0
    private var isAtEnd = false

    init(file: FileDescriptor, name: String, digest: SHA256Stream) {
        self.file = file
        self.name = name
        self.digest = digest
    }

    func next() throws(ArchiveError) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var lineBytes = 0
        while lines.count < Limits.batchEvents, lineBytes < Limits.batchBytesMax {
            guard let line = try nextLine() else { break }
            lineBytes += line.count
            lines.append(line)
        }
        return lines
    }

    private func nextLine() throws(ArchiveError) -> [UInt8]? {
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
            try refill()
            searched = start
        }
    }

    private func refill() throws(ArchiveError) {
        buffer.removeFirst(start)
        start = 0
        let part = try file.read(bytesMax: Limits.readBytes)
        isAtEnd = part.isEmpty
        part.withUnsafeBytes { digest.update($0) }
        bytes += part.count
        buffer += part
    }
}
