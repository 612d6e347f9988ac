public import Glibc

extension UnsafeRawBufferPointer {
    /// Whether both hold the same bytes.
    @inlinable public func isSame(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let own = baseAddress, let others = other.baseAddress else { return true }
        return memcmp(own, others, count) == 0
    }
}
