internal import CZlib

/// The gzip form of RFC 1952, by zlib.
public enum Gzip {
    public enum UnpackError: Error, Hashable {
        /// It is not gzip, or ends too early.
        case malformed
        /// It unpacks to more than is wanted.
        case tooLong
    }

    /// The window of 32 KiB, and with 16 added a head and a foot of gzip.
    private static let gzipWindowBits = Int32(15 + 16)
    private static let structureBytes = Int32(MemoryLayout<z_stream>.size)

    /// - Returns: nil when there is no memory for it, or it is longer than zlib can count.
    public static func packed(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        // What is gained beyond 4 is a tenth, for twice the time.
        guard
            deflateInit2_(
                &stream, 4, Z_DEFLATED, gzipWindowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                structureBytes) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        let room = Int(deflateBound(&stream, UInt(bytes.count)))
        // zlib counts in 32 bits.
        guard let inputCount = UInt32(exactly: bytes.count), let outputCount = UInt32(exactly: room)
        else { return nil }
        var input = bytes
        var status = Z_OK
        let packed = [UInt8](unsafeUninitializedCapacity: room) { output, count in
            input.withUnsafeMutableBufferPointer { input in
                stream.next_in = input.baseAddress
                stream.avail_in = inputCount
                stream.next_out = output.baseAddress
                stream.avail_out = outputCount
                status = deflate(&stream, Z_FINISH)
            }
            count = room - Int(stream.avail_out)
        }
        return status == Z_STREAM_END ? packed : nil
    }

    /// What several members one after the other have in them, as `gzip -d` reads them.
    /// - Parameter bytesMax: no more than this and one piece is ever made.
    public static func unpacked(
        _ bytes: [UInt8], atMost bytesMax: Int
    ) throws(UnpackError) -> [UInt8] {
        var bytesMade = 0
        return try unpacked(bytes, atMost: bytesMax, &bytesMade)
    }

    /// The same, for callers who want to know how much work it was, even if it fails.
    /// - Parameter bytesMade: how much was unpacked.
    public static func unpacked(
        _ bytes: [UInt8], atMost bytesMax: Int, _ bytesMade: inout Int
    ) throws(UnpackError) -> [UInt8] {
        bytesMade = 0
        var stream = z_stream()
        guard
            inflateInit2_(&stream, gzipWindowBits, ZLIB_VERSION, structureBytes) == Z_OK
        else { throw .malformed }
        defer { inflateEnd(&stream) }
        var input = bytes
        let result = input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            return inflateAll(&stream, atMost: bytesMax, &bytesMade)
        }
        return try result.get()
    }

    private static func inflateAll(
        _ stream: inout z_stream, atMost bytesMax: Int, _ bytesMade: inout Int
    ) -> Result<[UInt8], UnpackError> {
        var output: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: pieceBytes)
        while true {
            let status = piece.withUnsafeMutableBufferPointer { piece in
                stream.next_out = piece.baseAddress
                stream.avail_out = UInt32(piece.count)
                return inflate(&stream, Z_NO_FLUSH)
            }
            let count = pieceBytes - Int(stream.avail_out)
            bytesMade += count
            guard bytesMade <= bytesMax else { return .failure(.tooLong) }
            output.append(contentsOf: piece[..<count])
            switch status {
            case Z_OK where count > 0 || stream.avail_in > 0: continue
            case Z_STREAM_END where stream.avail_in == 0: return .success(output)
            case Z_STREAM_END: guard inflateReset(&stream) == Z_OK else { fallthrough }
            default: return .failure(.malformed)
            }
        }
    }

    private static let pieceBytes = 16 << 10
}
