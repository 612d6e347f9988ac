/// `Retry-After` of an answer, as far as libcurl does not read it.
enum RetryAfter {
    /// libcurl takes digits that its numbers do not hold for no wish at all. A server that sends
    /// them wants to be left alone for long.
    /// - Parameter line: of the answer's head.
    static func isBeyondNumbers(_ line: UnsafeRawBufferPointer) -> Bool {
        let name = line.prefix(field.utf8.count)
        // Bytes of letters differ in one bit by their case; a hyphen and a colon have it set.
        guard name.elementsEqual(field.utf8, by: { $0 | 0x20 == $1 }) else { return false }
        let value = line[name.endIndex...].filter { $0 > 0x20 }
        return !value.isEmpty && value.allSatisfy { (0x30...0x39).contains($0) }
            && Int64(String(decoding: value, as: UTF8.self)) == nil
    }

    private static let field = "retry-after:"
}
