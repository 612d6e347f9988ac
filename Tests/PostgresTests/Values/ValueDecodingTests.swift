import Foundation
import Testing

@testable import Postgres

struct `A value in binary form` {
    private func read<T: ColumnDecodable>(
        _ bytes: [UInt8], _ type: PostgresType, as _: T.Type = T.self
    ) -> T? {
        bytes.withUnsafeBytes { T.decode($0, type: type.rawValue) }
    }

    @Test func `is a number of its own width, or of a wider one`() {
        #expect(read(bigEndian(Int16(-2)), .int2) == Int16(-2))
        #expect(read(bigEndian(Int32.min), .int4) == Int32.min)
        #expect(read(bigEndian(Int64.max), .int8) == Int64.max)
        #expect(read(bigEndian(Int16(-2)), .int2) == Int64(-2))
        #expect(read(bigEndian(Int32(-3)), .int4) == Int64(-3))
        #expect(read(bigEndian(Int32(-3)), .int4) == -3 as Int)
        #expect(read(bigEndian((-0.5).bitPattern), .float8) == -0.5)
    }

    /// What does not fit into the narrower one would be cut off without a word.
    @Test func `is no number of a narrower width or of another type`() {
        #expect(read(bigEndian(Int64(1)), .int8, as: Int32.self) == nil)
        #expect(read(bigEndian(Int32(1)), .int4, as: Int16.self) == nil)
        #expect(read(bigEndian(Int64(1)), .timestamptz, as: Int64.self) == nil)
        #expect(read(bigEndian(Int64(1)), .float8, as: Int64.self) == nil)
        #expect(read(bigEndian(Int64(1)), .int8, as: Double.self) == nil)
        #expect(read(bigEndian(Int64(1)), .int8, as: Timestamp.self) == nil)
        #expect(read([1], .text, as: Bool.self) == nil)
        #expect(read(Array("7".utf8), .text, as: Int64.self) == nil)
    }

    @Test(arguments: [0, 1, 3, 5, 7, 9])
    func `of a wrong length is nothing`(count: Int) {
        let bytes = [UInt8](repeating: 0, count: count)
        #expect(read(bytes, .int2, as: Int16.self) == nil)
        #expect(read(bytes, .int4, as: Int32.self) == nil)
        #expect(read(bytes, .int8, as: Int64.self) == nil)
        #expect(read(bytes, .float8, as: Double.self) == nil)
        #expect(read(bytes, .timestamptz, as: Timestamp.self) == nil)
        #expect(read(bytes, .bool, as: Bool.self) == (count == 1 ? false : nil))
    }

    @Test func `is a text in UTF-8, whichever type of text it is`() {
        let bytes = Array("Zoë 🍕".utf8)
        for type: UInt32 in [25, 19, 705, 1043] {
            #expect(bytes.withUnsafeBytes { String.decode($0, type: type) } == "Zoë 🍕")
        }
        for type: UInt32 in [17, 114, 3802, 0] {
            #expect(bytes.withUnsafeBytes { String.decode($0, type: type) } == nil)
        }
        #expect(read([], .text) == "")
    }

    @Test func `is bytes, with the version of a jsonb cut off`() {
        let json = Array(#"{"a":1}"#.utf8)
        for type in [PostgresType.bytea, .text, .json] {
            #expect(read(json, type) == json)
            #expect(read(json, type) == Data(json))
        }
        #expect(read([1] + json, .jsonb) == json)
        #expect(read([1] + json, .jsonb) == Data(json))
        #expect(read([2] + json, .jsonb, as: [UInt8].self) == nil)
        #expect(read([], .jsonb, as: Data.self) == nil)
        #expect(read([], .bytea) == Data())
        #expect(read(json, .int8, as: Data.self) == nil)
    }

    private func array(_ parameter: Parameter) -> [UInt8] { parameter.bytes ?? [] }

    private func elements<T: ColumnDecodable>(
        _ parameter: Parameter, of _: T.Type = T.self
    ) -> [T]? {
        read(array(parameter), parameter.type, as: ColumnArray<T>.self)?.values
    }

    @Test func `is an array that comes back as it went`() {
        #expect(elements(.int8s([1, -1, .max, .min])) == [1, -1, Int64.max, .min])
        #expect(elements(.texts(["", "a", "🍕"])) == ["", "a", "🍕"])
        #expect(elements(.byteas([[], [0], [255, 0]])) == [[], [0], [255, 0]] as [[UInt8]])
        #expect(elements(.bools([true, false])) == [true, false])
        #expect(elements(.int8s([])) == [] as [Int64])
        let document = Data(#"{"a":1}"#.utf8)
        #expect(elements(.jsons([document])) == [document])
        #expect(elements(.jsonbs([document])) == [document])
    }

    @Test func `is no array where a NULL is in it, or elements of another type`() {
        #expect(elements(.int8s([1, nil]), of: Int64.self) == nil)
        let narrow = Parameter.int4s([1, 2])
        #expect(elements(narrow, of: Int32.self) == [1, 2])
        #expect(elements(narrow, of: Int64.self) == [1, 2])
        #expect(elements(narrow, of: String.self) == nil)
    }

    @Test func `is no array where it is cut off anywhere`() {
        let whole = array(.texts(["one", "two"]))
        for count in 0..<whole.count {
            let part = Array(whole[..<count])
            #expect(read(part, .textArray, as: ColumnArray<String>.self) == nil, "\(count) bytes")
        }
    }

    @Test func `is no array of two dimensions`() {
        var bytes = array(.int8s([1]))
        bytes[3] = 2
        #expect(read(bytes, .int8Array, as: ColumnArray<Int64>.self) == nil)
    }
}

struct `A parameter` {
    @Test func `shows its type and never its value`() {
        let secret = "5ecret"
        let parameters: [(Parameter, String)] = [
            (.text(secret), "<text>"), (.bytea(Array(secret.utf8)), "<bytea>"),
            (.json(Array(secret.utf8)), "<json>"), (.texts([secret, nil]), "<textArray>"),
            (.int8(5), "<int8>"), (.text(nil), "<text>"),
        ]
        for (parameter, shown) in parameters {
            #expect("\(parameter)" == shown)
            #expect("\(Optional(parameter) as Any)".contains(secret) == false)
        }
    }

    @Test func `of nothing is NULL, and of an empty text is not`() {
        let nothing: [Parameter] = [
            .bool(nil), .int2(nil), .int4(nil), .int8(nil), .float8(nil), .text(nil), .bytea(nil),
            .timestamp(nil), .json(nil), .jsonb([UInt8]?.none),
        ]
        #expect(nothing.allSatisfy { $0.bytes == nil })
        #expect(Parameter.text("").bytes == [])
        #expect(Parameter.jsonb([]).bytes == [1])
    }
}
