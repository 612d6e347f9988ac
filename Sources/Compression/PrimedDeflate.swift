internal import CZlib

/// The raw deflate form of RFC 1951 behind a dictionary, by zlib: for short texts that resemble
/// each other, which have little in common with themselves.
///
/// What was packed with a dictionary is unpacked with the same one only.
public final class PrimedDeflate: Sendable {
    /// A window of 8 KiB: the dictionary is in reach of texts of some kilobytes.
    private static let windowBits: Int32 = -13
    private static let structureBytes = Int32(MemoryLayout<z_stream>.size)

    private let dictionary: [UInt8]
    /// Knows the dictionary. It is never used but to be copied, which only reads it; hence no lock.
    private nonisolated(unsafe) let primed: UnsafeMutablePointer<z_stream>

    /// - Returns: nil when there is no memory for it.
    public init?(dictionary: [UInt8]) {
        self.dictionary = dictionary
        primed = .allocate(capacity: 1)
        primed.initialize(to: z_stream())
        guard
            deflateInit2_(
                primed, 6, Z_DEFLATED, Self.windowBits, 5, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Self.structureBytes) == Z_OK
        else {
            primed.deallocate()
            return nil
        }
        deflateSetDictionary(primed, dictionary, UInt32(dictionary.count))
    }

    deinit {
        deflateEnd(primed)
        primed.deallocate()
    }

    /// - Returns: nil when there is no memory for it.
    public func packed(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        return withUnsafeMutablePointer(to: &stream) { stream in
            guard deflateCopy(stream, primed) == Z_OK else { return nil }
            defer { deflateEnd(stream) }
            let room = Int(deflateBound(stream, UInt(bytes.count)))
            var status = Z_OK
            let packed = [UInt8](unsafeUninitializedCapacity: room) { output, count in
                bytes.withUnsafeBufferPointer { input in
                    stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                    stream.pointee.avail_in = UInt32(input.count)
                    stream.pointee.next_out = output.baseAddress
                    stream.pointee.avail_out = UInt32(room)
                    status = deflate(stream, Z_FINISH)
                }
                count = room - Int(stream.pointee.avail_out)
            }
            return status == Z_STREAM_END ? packed : nil
        }
    }

    /// - Parameter bytesMax: no more than this is ever made.
    public func unpacked(
        _ bytes: UnsafeRawBufferPointer, atMost bytesMax: Int
    ) throws(Gzip.Fault) -> [UInt8] {
        var stream = z_stream()
        let result = withUnsafeMutablePointer(to: &stream) { stream in
            inflated(stream, bytes, atMost: bytesMax)
        }
        return try result.get()
    }

    private func inflated(
        _ stream: UnsafeMutablePointer<z_stream>, _ bytes: UnsafeRawBufferPointer,
        atMost bytesMax: Int
    ) -> Result<[UInt8], Gzip.Fault> {
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
