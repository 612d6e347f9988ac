/// Cuts bytes into lines as they come, one after the other: a piece may have as many as it has
/// bytes, and an array of them would take many times its room.
struct LineSplitter {
    private let lineBytesMax: Int
    private var piece: [UInt8] = []
    private var start = 0
    private var unfinished: [UInt8] = []
    /// The line that comes next is longer than allowed; nothing after it is read.
    private(set) var isOverlong = false

    init(lineBytesMax: Int) { self.lineBytesMax = lineBytesMax }

    /// - Precondition: `next` has returned nil for the piece before.
    mutating func add(_ piece: [UInt8]) { (self.piece, start) = (piece, 0) }

    /// The next line that ends in the piece, without its end.
    mutating func next() -> [UInt8]? {
        guard !isOverlong else { return nil }
        let end = piece[start...].firstIndex(of: UInt8(ascii: "\n"))
        unfinished += piece[start..<(end ?? piece.endIndex)]
        isOverlong = unfinished.count > lineBytesMax
        guard let end, !isOverlong else {
            (piece, start) = ([], 0)
            if isOverlong { unfinished = [] }
            return nil
        }
        start = end + 1
        defer { unfinished = [] }
        return unfinished
    }

    /// The last line, which need not end in a line feed; nil when there is none.
    mutating func lastLine() -> [UInt8]? {
        defer { unfinished = [] }
        return unfinished.isEmpty ? nil : unfinished
    }
}
