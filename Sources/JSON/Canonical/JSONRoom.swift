import Foundation

/// JSON as it is written into room that somebody else has: an array would look with each byte
/// whether it may be changed and has to grow. What there is no room for is counted and not kept.
public struct JSONRoom: JSONText {
    @usableFromInline let room: UnsafeMutableBufferPointer<UInt8>
    @usableFromInline var count = 0

    init(_ room: UnsafeMutableBufferPointer<UInt8>) { self.room = room }

    /// Counts it, and keeps it if there is room.
    @inlinable public mutating func append(_ byte: UInt8) {
        if count < room.count { room[count] = byte }
        count += 1
    }

    /// The same of several.
    @inlinable public mutating func append(contentsOf bytes: some Sequence<UInt8>) {
        let isAppended: Void? = bytes.withContiguousStorageIfAvailable { append($0) }
        if isAppended == nil { for byte in bytes { append(byte) } }
    }

    @usableFromInline mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        if count + bytes.count <= room.count, let from = bytes.baseAddress,
            let start = room.baseAddress
        {
            memcpy(start + count, from, bytes.count)
        }
        count += bytes.count
    }
}
