/// Cuts bytes into lines as they come, one after the other: a piece may have as many as it has
/// bytes, and an array of them would take many times its room.
struct LineSplitter {
    enum Line: Hashable {
        /// Without its end.
        case whole([UInt8])
        /// Longer than allowed: nothing of it is kept, and what is still to come of it is skipped.
        case overlong
    }

    private let lineBytesMax: Int
    private var piece: [UInt8] = []
    private var start = 0
    private var unfinished: [UInt8] = []
    /// Whether the end of a line that was too long is still to come.
    private var isSkipping = false

    init(lineBytesMax: Int) { self.lineBytesMax = lineBytesMax }

    /// - Precondition: `next` has returned nil for the piece before.
    mutating func add(_ piece: [UInt8]) { (self.piece, start) = (piece, 0) }

    /// The next line that ends in the piece, or is too long by now.
    mutating func next() -> Line? {
        if isSkipping {
            isSkipping = !take().isEnd
            if isSkipping { return nil }
        }
        let (part, isEnd) = take()
        unfinished += part
        guard unfinished.count <= lineBytesMax else {
            (unfinished, isSkipping) = ([], !isEnd)
            return .overlong
        }
        guard isEnd else { return nil }
        defer { unfinished = [] }
        return .whole(unfinished)
    }

    /// Takes from the piece what it has of the present line, and whether the line ends there.
    private mutating func take() -> (part: ArraySlice<UInt8>, isEnd: Bool) {
        let rest = piece[start...]
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
            (piece, start) = ([], 0)
            return (rest, false)
        }
        start = end + 1
        return (rest[..<end], true)
    }

    /// The last line, which need not end in a line feed; nil when there is none.
    mutating func lastLine() -> [UInt8]? {
        defer { unfinished = [] }
        return unfinished.isEmpty ? nil : unfinished
    }
}
