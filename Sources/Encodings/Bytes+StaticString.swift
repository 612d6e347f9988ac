extension [UInt8] {
    /// Appends words of the program's own, without a string in between.
    @inlinable public mutating func append(_ words: StaticString) {
        append(
            contentsOf: UnsafeBufferPointer(
                start: words.utf8Start, count: words.utf8CodeUnitCount))
    }
}
