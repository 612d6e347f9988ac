internal import CZstd
internal import Locks

/// The zstd form of RFC 8878 behind a trained dictionary, by libzstd: for short texts that resemble
/// each other, which have little in common with themselves.
///
/// Frames are kept without the magic number, the dictionary's id and a checksum, which would be a
/// sixth of them. What was packed with a dictionary is unpacked with the same one only.
public final class PrimedZstandard: Sendable {
    /// Every frame begins with it (RFC 8878, section 3.1.1).
    private static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

    // Dictionaries are never written to, so libzstd lets several threads use them at once.
    private nonisolated(unsafe) let packing: OpaquePointer
    private nonisolated(unsafe) let unpacking: OpaquePointer
    /// Kept because creating one costs more than packing a text. There are as many as there were
    /// threads that packed or unpacked at the same time.
    private let idle = Lock<[Workspace]>([])

    /// - Returns: nil when there is no memory for it.
    public init?(dictionary: [UInt8]) {
        let packing = ZSTD_createCDict(dictionary, dictionary.count, ZSTD_CLEVEL_DEFAULT)
        let unpacking = ZSTD_createDDict(dictionary, dictionary.count)
        guard let packing, let unpacking else {
            ZSTD_freeCDict(packing)
            ZSTD_freeDDict(unpacking)
            return nil
        }
        (self.packing, self.unpacking) = (packing, unpacking)
    }

    deinit {
        ZSTD_freeCDict(packing)
        ZSTD_freeDDict(unpacking)
    }

    /// - Returns: nil when there is no memory for it.
    public func packed(_ bytes: [UInt8]) -> [UInt8]? {
        guard let workspace = take() else { return nil }
        defer { put(back: workspace) }
        return withUnsafeTemporaryAllocation(
            byteCount: ZSTD_compressBound(bytes.count), alignment: 1
        ) { room in
            let count = ZSTD_compress2(
                workspace.packing, room.baseAddress, room.count, bytes, bytes.count)
            guard ZSTD_isError(count) == 0 else { return nil }
            return Array(room[Self.magic.count..<count])
        }
    }

    /// - Parameter bytesMax: no more than this is ever made.
    public func unpacked(
        _ bytes: UnsafeRawBufferPointer, atMost bytesMax: Int
    ) throws(Gzip.UnpackError) -> [UInt8] {
        guard let workspace = take() else { throw .malformed }
        defer { put(back: workspace) }
        let result = withUnsafeTemporaryAllocation(
            byteCount: Self.magic.count + bytes.count, alignment: 1
        ) { frame -> Result<[UInt8], Gzip.UnpackError> in
            frame.copyBytes(from: Self.magic)
            UnsafeMutableRawBufferPointer(rebasing: frame[Self.magic.count...])
                .copyMemory(from: bytes)
            return unpacked(UnsafeRawBufferPointer(frame), atMost: bytesMax, in: workspace)
        }
        return try result.get()
    }

    private func unpacked(
        _ frame: UnsafeRawBufferPointer, atMost bytesMax: Int, in workspace: Workspace
    ) -> Result<[UInt8], Gzip.UnpackError> {
        // "Unknown" and "not a frame" are the two largest values.
        let length = ZSTD_getFrameContentSize(frame.baseAddress, frame.count)
        guard length < UInt64(Int64.max) else { return .failure(.malformed) }
        guard length <= bytesMax else { return .failure(.tooLong) }
        // Room for one byte at least, as an array of none has no address.
        var plain = [UInt8](repeating: 0, count: max(1, Int(length)))
        let made = ZSTD_decompress_usingDDict(
            workspace.unpacking, &plain, Int(length), frame.baseAddress, frame.count, unpacking)
        let isWhole = ZSTD_isError(made) == 0 && made == Int(length)
        plain.removeLast(plain.count - Int(length))
        return isWhole ? .success(plain) : .failure(.malformed)
    }

    private func take() -> Workspace? {
        idle.withLock { $0.popLast() } ?? Workspace(packing)
    }

    private func put(back workspace: Workspace) { idle.withLock { $0.append(workspace) } }
}

/// libzstd's contexts, which one thread may use at a time.
// @unchecked: one that is in use is not in the pool.
private final class Workspace: @unchecked Sendable {
    let packing: OpaquePointer
    let unpacking: OpaquePointer

    /// - Returns: nil when there is no memory for it.
    init?(_ dictionary: OpaquePointer) {
        let (packing, unpacking) = (ZSTD_createCCtx(), ZSTD_createDCtx())
        guard let packing, let unpacking,
            ZSTD_isError(ZSTD_CCtx_refCDict(packing, dictionary)) == 0,
            // The reader knows the dictionary already.
            ZSTD_isError(ZSTD_CCtx_setParameter(packing, ZSTD_c_dictIDFlag, 0)) == 0
        else {
            ZSTD_freeCCtx(packing)
            ZSTD_freeDCtx(unpacking)
            return nil
        }
        (self.packing, self.unpacking) = (packing, unpacking)
    }

    deinit {
        ZSTD_freeCCtx(packing)
        ZSTD_freeDCtx(unpacking)
    }
}
