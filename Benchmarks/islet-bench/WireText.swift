/// Looks for plain text in what a server sent; parsing it whole would cost more than answering it.
struct WireText {
    var bytes: [UInt8] = []

    /// Where the text ends for the first time from `start` on.
    func end(of text: StaticString, from start: Int = 0) -> Int? {
        let count = text.utf8CodeUnitCount
        guard bytes.count - start >= count else { return nil }
        return bytes.withUnsafeBufferPointer { bytes in
            var place = start
            while place + count <= bytes.count {
                if bytes[place] == text.utf8Start[0] {
                    var length = 1
                    while length < count, bytes[place + length] == text.utf8Start[length] {
                        length += 1
                    }
                    if length == count { return place + count }
                }
                place += 1
            }
            return nil
        }
    }

    /// The digits that stand at a place.
    func number(at start: Int) -> Int? {
        var value: Int?
        for byte in bytes[start...] {
            guard (0x30...0x39).contains(byte) else { break }
            value = (value ?? 0) * 10 + Int(byte - 0x30)
        }
        return value
    }

    /// What stands at a place up to a quotation mark.
    func word(at start: Int) -> String {
        let end = bytes[start...].firstIndex(of: UInt8(ascii: "\"")) ?? bytes.count
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    mutating func drop(_ count: Int) { bytes.removeFirst(count) }
}
