/// Bytes that wait for their turn: appended at the end, taken from the beginning.
///
/// Bytes taken are given back for good as soon as they are as many as those that wait, so that the
/// buffer is never more than twice what waits, however long somebody goes on adding, and each byte
/// is moved once at most on average.
struct ByteQueue {
    private(set) var bytes: [UInt8]
    private(set) var start = 0

    init(_ bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    var count: Int { bytes.count - start }
    var isEmpty: Bool { start == bytes.count }

    mutating func append(_ more: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: more)
    }

    mutating func append(_ more: [UInt8]) {
        bytes.append(contentsOf: more)
    }

    /// The first `count` bytes are of no more use.
    mutating func take(_ count: Int) {
        start += min(count, self.count)
        if isEmpty {
            removeAll()
        } else if start >= self.count {
            bytes.removeFirst(start)
            start = 0
        }
    }

    mutating func removeAll() {
        (bytes, start) = ([], 0)
    }
}
