import Domain
import Foundation
import JSON
import Postgres

/// One of the texts of a packed column, as `Column` is for a column.
struct PackedText<Value: Sendable>: Sendable {
    /// Nil when there is none.
    let get: @Sendable (Value) -> Data?
    /// For one that is there.
    let set: @Sendable (inout Value, ArraySlice<UInt8>) throws(PostgresError) -> Void
}

extension PackedText {
    typealias Getter<T> = @Sendable (Value) -> T
    typealias Setter<T> = @Sendable (inout Value, T) -> Void

    /// Any text, where none and an empty one are the same.
    static func text(
        _ get: @escaping Getter<String?>, _ set: @escaping Setter<String>
    ) -> PackedText {
        PackedText(
            get: { value in get(value).flatMap { $0.isEmpty ? nil : Data($0.utf8) } },
            set: { (value, text) throws(PostgresError) in
                set(&value, String(decoding: text, as: UTF8.self))
            })
    }

    /// One of an enum's raw values.
    static func choice<E: RawRepresentable<String> & SendableMetatype>(
        _ get: @escaping Getter<E?>, _ set: @escaping Setter<E>
    ) -> PackedText {
        PackedText(
            get: { value in get(value).map { Data($0.rawValue.utf8) } },
            set: { (value, text) throws(PostgresError) in
                guard let read = E(rawValue: String(decoding: text, as: UTF8.self)) else {
                    throw .decoding(column: "a packed text", expected: "one of \(E.self)")
                }
                set(&value, read)
            })
    }

    /// A number in digits.
    static func number<T: LosslessStringConvertible & SendableMetatype>(
        _ get: @escaping Getter<T?>, _ set: @escaping Setter<T>
    ) -> PackedText {
        PackedText(
            get: { value in get(value).map { Data($0.description.utf8) } },
            set: { (value, text) throws(PostgresError) in
                guard let read = T(String(decoding: text, as: UTF8.self)) else {
                    throw .decoding(column: "a packed text", expected: "\(T.self)")
                }
                set(&value, read)
            })
    }

    /// JSON as it stands.
    static func json(
        _ get: @escaping Getter<Data?>, _ set: @escaping Setter<Data>
    ) -> PackedText {
        PackedText(
            get: get, set: { (value, text) throws(PostgresError) in set(&value, Data(text)) })
    }

    /// A value that JSON stands for.
    static func coded<T: CanonicalValue & PlainValue & SendableMetatype>(
        _ get: @escaping Getter<T?>, _ set: @escaping Setter<T>
    ) -> PackedText {
        PackedText(
            get: { value in get(value).map { WireCoder.encode($0) } },
            set: { (value, text) throws(PostgresError) in
                guard let read = try? WireCoder.decode(T.self, from: Data(text)) else {
                    throw .decoding(column: "a packed text", expected: "\(T.self) in JSON")
                }
                set(&value, read)
            })
    }
}
