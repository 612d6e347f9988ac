/// Cuts bytes into lines as they come, holding no more than one unfinished line.
struct LineSplitter {
    private let lineBytesMax: Int
    private var unfinished: [UInt8] = []
    /// The line that comes next is longer than allowed; nothing after it is read.
    private(set) var isOverlong = false

    init(lineBytesMax: Int) { self.lineBytesMax = lineBytesMax }

    /// The lines that end in these bytes, without their ends.
    mutating func lines(in piece: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var start = 0
        while !isOverlong, let end = piece[start...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = unfinished + piece[start..<end]
            unfinished = []
            start = end + 1
            guard line.count <= lineBytesMax else { return overlong(lines) }
            lines.append(line)
        }
        unfinished += piece[start...]
        return unfinished.count > lineBytesMax ? overlong(lines) : lines
    }

    private mutating func overlong(_ lines: [[UInt8]]) -> [[UInt8]] {
        isOverlong = true
        unfinished = []
        return lines
    }

    /// The last line, which need not end in a line feed; nil when there is none.
    mutating func lastLine() -> [UInt8]? {
        defer { unfinished = [] }
        return unfinished.isEmpty ? nil : unfinished
    }
}
