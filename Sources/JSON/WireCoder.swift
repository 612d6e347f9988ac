import Encodings
public import Foundation

/// The one pair of JSON coders for everything a phone decodes or the store keeps.
///
/// Strategies are the stock ones, because the phone's decoder is stock: a `Date` is seconds since
/// 2001, a `ClosedRange<Date>` an array of two. Keys are sorted so that equal values are equal
/// bytes, and slashes stay single so that the 4096 bytes of a push are not wasted.
public enum WireCoder {
    /// For what is known to write its JSON itself.
    public static func encode(_ value: some CanonicalValue) -> Data {
        var bytes = usualBytes
        while true {
            let data = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes) { room in
                bytes = write(value, into: room)
                return bytes <= room.count
                    ? Data(UnsafeBufferPointer(rebasing: room[..<bytes])) : nil
            }
            if let data { return data }
        }
    }

    /// Whether these bytes are the JSON of what writes it itself; nothing is kept of that.
    public static func isJSON(
        _ bytes: UnsafeRawBufferPointer, of value: some CanonicalValue
    ) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count) { room in
            write(value, into: room) == bytes.count
                && UnsafeRawBufferPointer(room).isSame(as: bytes)
        }
    }

    /// So much is nearly always enough, and small enough for a stack.
    private static let usualBytes = 1_024

    /// - Returns: how many bytes it takes. If there are more than room for, they are not all there.
    private static func write(
        _ value: some CanonicalValue, into room: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        var writer = CanonicalWriter(into: room)
        value.write(to: &writer)
        return writer.count
    }

    /// Inlined, so that whether a value writes its JSON itself is known where its type is.
    /// - Precondition: `value` has no NaN or infinite number; JSON has no form for them.
    @inlinable public static func encode(_ value: some Encodable) -> Data {
        if let value = value as? any CanonicalValue { return encode(value) }
        return encode(byMembers: value)
    }

    @usableFromInline static func encode(byMembers value: some Encodable) -> Data {
        do { return Data(try CanonicalEncoder.encode(value)) } catch {
            fatalError("\(type(of: value)) has no JSON form: \(error)")
        }
    }

    /// Whose bytes `encode` gives, several times as fast.
    static var stock: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    /// Decodes as a phone does.
    public static func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
        try JSONDecoder().decode(type, from: data)
    }
}
