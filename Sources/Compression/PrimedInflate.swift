internal import CZlib

/// Unpacks the raw deflate form of RFC 1951 behind a dictionary, by zlib.
public struct PrimedInflate: Sendable {
    /// A window of 8 KiB: the dictionary is in reach of texts of some kilobytes.
    private static let windowBits: Int32 = -13
    private static let structureBytes = Int32(MemoryLayout<z_stream>.size)

    private let dictionary: [UInt8]

    public init(dictionary: [UInt8]) { self.dictionary = dictionary }

    /// - Parameter bytesMax: no more than this is ever made.
    public func unpacked(
        _ bytes: UnsafeRawBufferPointer, atMost bytesMax: Int
    ) throws(Gzip.UnpackError) -> [UInt8] {
        var stream = z_stream()
        let result = withUnsafeMutablePointer(to: &stream) { stream in
            inflated(stream, bytes, atMost: bytesMax)
        }
        return try result.get()
    }

    private func inflated(
        _ stream: UnsafeMutablePointer<z_stream>, _ bytes: UnsafeRawBufferPointer,
        atMost bytesMax: Int
    ) -> Result<[UInt8], Gzip.UnpackError> {
        guard inflateInit2_(stream, Self.windowBits, ZLIB_VERSION, Self.structureBytes) == Z_OK
        else { return .failure(.malformed) }
        defer { inflateEnd(stream) }
        guard inflateSetDictionary(stream, dictionary, UInt32(dictionary.count)) == Z_OK else {
            return .failure(.malformed)
        }
        let input = bytes.bindMemory(to: UInt8.self)
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        var output: [UInt8] = []
        var room = min(bytesMax, max(Self.usualBytes, bytes.count * 8))
        while true {
            var status = Z_OK
            let piece = [UInt8](unsafeUninitializedCapacity: room) { piece, count in
                stream.pointee.next_out = piece.baseAddress
                stream.pointee.avail_out = UInt32(room)
                status = inflate(stream, Z_NO_FLUSH)
                count = room - Int(stream.pointee.avail_out)
            }
            if output.isEmpty { output = piece } else { output += piece }
            switch status {
            case Z_STREAM_END where stream.pointee.avail_in == 0: return .success(output)
            case Z_OK where piece.count == room && output.count < bytesMax:
                room = min(bytesMax - output.count, output.count)
            case Z_OK where output.count >= bytesMax: return .failure(.tooLong)
            default: return .failure(.malformed)
            }
        }
    }

    private static let usualBytes = 1_024
}
