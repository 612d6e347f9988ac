public import Foundation

/// Read for nearly every push, and so without `JSONDecoder` where it is plainly written, which is
/// how the database has it.
public protocol PlainValue: Decodable {
    /// Reads what comes next. Nil when that is anything but a plainly written one: then a parser
    /// that takes everything has to say what it is.
    init?(plain scanner: inout PlainJSONScanner)
}

extension WireCoder {
    /// Reads plain JSON member by member, and other JSON by `JSONDecoder`.
    public static func decode<T: PlainValue>(_ type: T.Type, from json: Data) throws -> T {
        let plain = json.withUnsafeBytes { bytes -> T? in
            var scanner = PlainJSONScanner(bytes.bindMemory(to: UInt8.self))
            guard let value = T(plain: &scanner), scanner.isAtEnd() else { return nil }
            return value
        }
        if let plain { return plain }
        return try JSONDecoder().decode(type, from: json)
    }
}

extension PlainJSONScanner {
    /// An object, member by member.
    /// - Parameter read: takes the value of the member with the name, if it is plainly written.
    /// - Returns: whether all of it was.
    @inlinable public mutating func members(_ read: (inout PlainJSONScanner, Range<Int>) -> Bool)
        -> Bool
    {
        guard take(UInt8(ascii: "{")) else { return false }
        if take(UInt8(ascii: "}")) { return true }
        repeat {
            guard let name = string(), take(UInt8(ascii: ":")), read(&self, name.range) else {
                return false
            }
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "}"))
    }

    /// An array of plainly written strings.
    public mutating func texts() -> [String]? {
        guard take(UInt8(ascii: "[")) else { return nil }
        if take(UInt8(ascii: "]")) { return [] }
        var texts: [String] = []
        repeat {
            guard let text = plainText() else { return nil }
            texts.append(text)
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "]")) ? texts : nil
    }

    /// A plainly written string.
    @inlinable public mutating func plainText() -> String? { string().map { string($0.range) } }

    /// `true` or `false`.
    @inlinable public mutating func flag() -> Bool? {
        if case .flag(let flag) = scalar() { flag } else { nil }
    }

    /// A whole number of so few digits that nobody reads it differently.
    @inlinable public mutating func integer() -> Int? {
        if case .integer(let integer) = scalar() { integer } else { nil }
    }

    /// Likewise, with a fraction or without.
    @inlinable public mutating func double() -> Double? {
        switch scalar() {
        case .integer(let integer): Double(integer)
        case .fraction: Double(string(scalarStart..<index))
        default: nil
        }
    }
}
