public import Foundation

/// The one pair of JSON coders for everything a phone decodes or the store keeps.
///
/// Strategies are the stock ones, because the phone's decoder is stock: a `Date` is seconds since
/// 2001, a `ClosedRange<Date>` an array of two. Keys are sorted so that equal values are equal
/// bytes, and slashes stay single so that the 4096 bytes of a push are not wasted.
public enum WireCoder {
    /// For what is known to write its JSON itself.
    public static func encode(_ value: some CanonicalValue) -> Data {
        bytes(value).withUnsafeBytes { Data($0) }
    }

    /// The same for whoever only looks at it.
    public static func bytes(_ value: some CanonicalValue) -> [UInt8] {
        var writer = CanonicalWriter()
        value.write(to: &writer)
        return writer.text
    }

    /// - Precondition: `value` holds no NaN or infinite number; JSON has no form for them.
    public static func encode(_ value: some Encodable) -> Data {
        if let value = value as? any CanonicalValue { return encode(value) }
        do { return Data(try CanonicalEncoder.encode(value)) } catch {
            preconditionFailure("\(type(of: value)) has no JSON form: \(error)")
        }
    }

    /// Whose bytes `encode` gives, several times as fast.
    static var stock: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    public static func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
        try JSONDecoder().decode(type, from: data)
    }
}
