/// Bytes that wait for their turn: appended at the end, taken from the beginning.
///
/// Bytes taken are given back for good when more are added and they are as many as those that wait,
/// so that the buffer is never more than twice what waits, however long somebody goes on adding,
/// and each byte is moved once at most on average. An array that is all there is stays as it is: it
/// may be one that many queues have in common, and none of them copies it.
struct ByteQueue {
    private(set) var bytes: [UInt8] = []
    private(set) var start = 0

    var count: Int { bytes.count - start }
    var isEmpty: Bool { start == bytes.count }

    mutating func append(_ more: UnsafeRawBufferPointer) {
        giveBack()
        bytes.append(contentsOf: more)
    }

    mutating func append(_ more: [UInt8]) {
        giveBack()
        if isEmpty { bytes = more } else { bytes.append(contentsOf: more) }
    }

    /// All that wait, where they lie.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }

    /// The first `count` bytes are of no more use.
    mutating func take(_ count: Int) {
        start += min(count, self.count)
        if isEmpty { removeAll() }
    }

    /// Takes the first bytes, `count` at most.
    mutating func move(_ count: Int, to output: inout [UInt8]) {
        output.append(contentsOf: bytes[start..<(start + min(count, self.count))])
        take(count)
    }

    mutating func removeAll() {
        (bytes, start) = ([], 0)
    }

    private mutating func giveBack() {
        guard start > 0, start >= count else { return }
        bytes.removeFirst(start)
        start = 0
    }
}
