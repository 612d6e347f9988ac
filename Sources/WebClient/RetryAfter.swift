/// What libcurl does not read of an answer's `Retry-After`.
enum RetryAfter {
    /// libcurl ignores the field when its digits do not fit into an integer. A server that sends so
    /// many wants a long pause.
    /// - Parameter line: of the answer's head.
    static func isTooLarge(_ line: UnsafeRawBufferPointer) -> Bool {
        let name = line.prefix(field.utf8.count)
        // Bytes of letters differ in one bit by their case; a hyphen and a colon have it set.
        guard name.elementsEqual(field.utf8, by: { $0 | 0x20 == $1 }) else { return false }
        let value = line[name.endIndex...].filter { $0 > 0x20 }
        return !value.isEmpty && value.allSatisfy { (0x30...0x39).contains($0) }
            && Int64(String(decoding: value, as: UTF8.self)) == nil
    }

    private static let field = "retry-after:"
}
