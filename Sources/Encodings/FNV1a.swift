/// FNV-1a over 64 bits: equal for equal bytes in every process and every release. It guards against
/// nobody, since anybody can make two texts with one hash.
public enum FNV1a {
    /// The 64-bit hash of bytes.
    @inlinable
    public static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        // Element by element, `Data` costs several times as much as its memory does.
        bytes.withContiguousStorageIfAvailable { each($0) } ?? each(bytes)
    }

    @inlinable
    static func each(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash
    }
}
