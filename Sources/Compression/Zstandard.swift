internal import CZstd

/// The zstd form of RFC 8878, by libzstd.
public enum Zstandard {
    /// - Returns: nil when there is no memory for it.
    public static func packed(_ bytes: [UInt8]) -> [UInt8]? {
        let room = ZSTD_compressBound(bytes.count)
        var isPacked = false
        let packed = [UInt8](unsafeUninitializedCapacity: room) { output, count in
            let written = bytes.withUnsafeBytes { input in
                ZSTD_compress(
                    output.baseAddress, room, input.baseAddress, input.count, ZSTD_CLEVEL_DEFAULT)
            }
            isPacked = ZSTD_isError(written) == 0
            count = isPacked ? written : 0
        }
        return isPacked ? packed : nil
    }
}
