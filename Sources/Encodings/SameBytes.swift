// Not Glibc, which Apple's platforms lack: apps link this module.
public import Foundation

extension UnsafeRawBufferPointer {
    /// Whether both have the same bytes.
    @inlinable public func isSame(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let own = baseAddress, let others = other.baseAddress else { return true }
        return memcmp(own, others, count) == 0
    }
}
