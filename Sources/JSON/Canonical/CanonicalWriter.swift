public import Foundation

/// A value that writes its JSON itself, to the byte as `CanonicalEncoder` would write it: several
/// times as fast, since nothing has to be looked up, kept and sorted.
///
/// For what a rebuild writes of every activity. All other values are encoded by `Encodable`.
public protocol CanonicalValue: Encodable {
    func write(to writer: inout CanonicalWriter)
}

/// Writes compact JSON whose members come sorted by the bytes of their names.
public struct CanonicalWriter {
    @usableFromInline var text: JSONRoom
    /// Of the object that is being written.
    @usableFromInline var lastName: StaticString?

    /// How many bytes were written, or would have been had there been room.
    var count: Int { text.count }

    init(into room: UnsafeMutableBufferPointer<UInt8>) { text = JSONRoom(room) }

    /// - Parameter members: writes the members in their order.
    @inlinable public mutating func object(_ members: (inout CanonicalWriter) -> Void) {
        let outer = lastName
        lastName = nil
        text.append(UInt8(ascii: "{"))
        members(&self)
        text.append(UInt8(ascii: "}"))
        lastName = outer
    }

    /// A member of the object; nothing for nil.
    @inlinable public mutating func member<Value: CanonicalValue>(
        _ name: StaticString, _ value: Value?
    ) {
        guard let value else { return }
        begin(name)
        value.write(to: &self)
    }

    /// A member whose value is encoded by `Encodable`: for what is hardly ever there.
    public mutating func member(_ name: StaticString, encoding value: (some Encodable)?) {
        guard let value else { return }
        begin(name)
        text.append(contentsOf: WireCoder.encode(value))
    }

    /// A member that is an array.
    public mutating func member<Element: CanonicalValue>(
        _ name: StaticString, array elements: [Element]
    ) {
        begin(name)
        array(elements)
    }

    /// A member that is an object whose names are not known beforehand.
    public mutating func member<Value: CanonicalValue>(
        _ name: StaticString, naming members: [(String, Value)]
    ) {
        begin(name)
        text.append(UInt8(ascii: "{"))
        var isFirst = true
        let sorted = members.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
        for (name, value) in sorted {
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
            CanonicalText.append(name, to: &text)
            text.append(UInt8(ascii: ":"))
            value.write(to: &self)
        }
        text.append(UInt8(ascii: "}"))
    }

    @usableFromInline mutating func begin(_ name: StaticString) {
        if let lastName {
            assert(Self.precedes(lastName, name), "\(name) comes after \(lastName)")
            text.append(UInt8(ascii: ","))
        }
        lastName = name
        text.append(UInt8(ascii: "\""))
        text.append(
            contentsOf: UnsafeBufferPointer(
                start: name.utf8Start, count: name.utf8CodeUnitCount))
        text.append(UInt8(ascii: "\""))
        text.append(UInt8(ascii: ":"))
    }

    private static func precedes(_ left: StaticString, _ right: StaticString) -> Bool {
        let count = min(left.utf8CodeUnitCount, right.utf8CodeUnitCount)
        let order = memcmp(left.utf8Start, right.utf8Start, count)
        return order == 0 ? left.utf8CodeUnitCount < right.utf8CodeUnitCount : order < 0
    }

    /// Writes an array, elements in their order.
    @inlinable public mutating func array(_ elements: some Sequence<some CanonicalValue>) {
        text.append(UInt8(ascii: "["))
        var isFirst = true
        for element in elements {
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
            element.write(to: &self)
        }
        text.append(UInt8(ascii: "]"))
    }

    /// - Parameter write: appends a string's or a number's JSON.
    @inlinable public mutating func literal(_ write: (inout JSONRoom) -> Void) { write(&text) }
}

extension String: CanonicalValue {
    public func write(to writer: inout CanonicalWriter) {
        writer.literal { CanonicalText.append(self, to: &$0) }
    }
}

extension Int: CanonicalValue {}
extension Int64: CanonicalValue {}
extension UInt64: CanonicalValue {}

extension CanonicalValue where Self: FixedWidthInteger {
    public func write(to writer: inout CanonicalWriter) {
        writer.literal { CanonicalText.append(self, to: &$0) }
    }
}

extension Bool: CanonicalValue {
    public func write(to writer: inout CanonicalWriter) {
        writer.literal { $0.append(contentsOf: (self ? "true" : "false").utf8) }
    }
}

extension Double: CanonicalValue {
    public func write(to writer: inout CanonicalWriter) {
        writer.literal { CanonicalText.append(self, to: &$0) }
    }
}

extension Date: CanonicalValue {
    /// As it encodes itself: seconds since 2001.
    public func write(to writer: inout CanonicalWriter) {
        timeIntervalSinceReferenceDate.write(to: &writer)
    }
}

extension ClosedRange: CanonicalValue where Bound: CanonicalValue {
    @inlinable public func write(to writer: inout CanonicalWriter) {
        writer.array([lowerBound, upperBound])
    }
}

extension Optional: CanonicalValue where Wrapped: CanonicalValue {
    /// Where an object leaves it out, its writer does.
    public func write(to writer: inout CanonicalWriter) {
        switch self {
        case .some(let value): value.write(to: &writer)
        case nil: writer.literal { $0.append(contentsOf: "null".utf8) }
        }
    }
}

/// For enums whose raw values are their JSON.
extension CanonicalValue where Self: RawRepresentable<String> {
    @inlinable public func write(to writer: inout CanonicalWriter) { rawValue.write(to: &writer) }
}
