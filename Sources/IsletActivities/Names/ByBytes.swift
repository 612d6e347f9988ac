public import Foundation

/// What is one and the same only if its UTF-8 has the same bytes, as in Postgres, in JSON and in
/// HTTP.
///
/// Swift's own `==` takes two texts for one that look alike: `é` as one scalar, and `e` with an
/// accent after it. Where Swift counts one name and the database two, they are numbered together.
public protocol ByteComparable: Sendable {
    func hasBytes(of other: Self) -> Bool
    func hashBytes(into hasher: inout Hasher)
}

extension String: ByteComparable {
    /// Whether both have the same UTF-8 bytes.
    @inlinable public func hasBytes(of other: String) -> Bool {
        let same = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                guard left.count == right.count else { return false }
                guard let left = left.baseAddress, let right = right.baseAddress else {
                    return true
                }
                return memcmp(left, right, other.utf8.count) == 0
            }
        }
        // Only a text that Foundation has bridged lies in pieces.
        return (same ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Adds the UTF-8 bytes.
    @inlinable public func hashBytes(into hasher: inout Hasher) {
        let whole: Void? = utf8.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        if whole == nil { for byte in utf8 { hasher.combine(byte) } }
        // No text has this byte: it parts one text from the next.
        hasher.combine(0xFF as UInt8)
    }

    /// In the order of a column with `COLLATE "C"`.
    @inlinable public func precedes(_ other: String) -> Bool {
        let isFirst = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                guard let first = left.baseAddress, let second = right.baseAddress else {
                    return left.count < right.count
                }
                let order = memcmp(first, second, min(left.count, right.count))
                return order == 0 ? left.count < right.count : order < 0
            }
        }
        return (isFirst ?? nil) ?? utf8.lexicographicallyPrecedes(other.utf8)
    }
}

extension Sequence<String> {
    /// Whether one of them has the same bytes.
    @inlinable public func containsBytes(of text: String) -> Bool {
        contains { $0.hasBytes(of: text) }
    }
}

extension Optional: ByteComparable where Wrapped: ByteComparable {
    /// Whether both are nil or have the same bytes.
    @inlinable public func hasBytes(of other: Wrapped?) -> Bool {
        switch (self, other) {
        case (let left?, let right?): left.hasBytes(of: right)
        case (nil, nil): true
        case (_?, nil), (nil, _?): false
        }
    }

    /// Adds the bytes, and tells nil from an empty text.
    @inlinable public func hashBytes(into hasher: inout Hasher) {
        hasher.combine(self == nil)
        self?.hashBytes(into: &hasher)
    }
}

/// A type of names: what it compares, hashes and orders are the bytes of `rawValue`.
///
/// On purpose no `RawRepresentable`, which brings a `!=` that compares texts as Swift does.
public protocol ByteIdentity: Hashable, Comparable, Sendable {
    var rawValue: String { get }
}

extension ByteIdentity {
    @inlinable public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.hasBytes(of: right.rawValue)
    }

    @inlinable public static func < (left: Self, right: Self) -> Bool {
        left.rawValue.precedes(right.rawValue)
    }

    @inlinable public func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }
}

/// A text among other members, or a key, that is compared by its bytes. In JSON it is the text.
@propertyWrapper public struct ByBytes<Value: ByteComparable>: Hashable, Sendable {
    public var wrappedValue: Value

    @inlinable public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    @inlinable public init(_ value: Value) { wrappedValue = value }

    @inlinable public static func == (left: Self, right: Self) -> Bool {
        left.wrappedValue.hasBytes(of: right.wrappedValue)
    }

    @inlinable public func hash(into hasher: inout Hasher) {
        wrappedValue.hashBytes(into: &hasher)
    }
}

/// A text as a key.
public typealias ByteKey = ByBytes<String>

extension ByBytes: Comparable where Value == String {
    @inlinable public static func < (left: Self, right: Self) -> Bool {
        left.wrappedValue.precedes(right.wrappedValue)
    }
}

extension ByBytes: CustomStringConvertible where Value == String {
    public var description: String { wrappedValue }
}

extension ByBytes: ExpressibleByUnicodeScalarLiteral where Value == String {}
extension ByBytes: ExpressibleByExtendedGraphemeClusterLiteral where Value == String {}
extension ByBytes: ExpressibleByStringLiteral where Value == String {
    public init(stringLiteral value: String) { wrappedValue = value }
}
