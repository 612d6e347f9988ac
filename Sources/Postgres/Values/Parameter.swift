/// One parameter of a statement: its Postgres type and its value in binary form.
///
/// The description shows the type only, so that a value cannot slip into a log.
public struct Parameter: Hashable, Sendable, CustomStringConvertible {
    @usableFromInline let type: PostgresType
    /// Nil is NULL.
    @usableFromInline let bytes: [UInt8]?

    @usableFromInline
    init(_ type: PostgresType, _ bytes: [UInt8]?) {
        self.type = type
        self.bytes = bytes
    }

    public var description: String { "<\(type)>" }

    public static func bool(_ value: Bool?) -> Parameter {
        Parameter(.bool, value.map { [$0 ? 1 : 0] })
    }

    public static func int2(_ value: Int16?) -> Parameter {
        Parameter(.int2, value.map { bigEndian($0) })
    }

    public static func int4(_ value: Int32?) -> Parameter {
        Parameter(.int4, value.map { bigEndian($0) })
    }

    public static func int8(_ value: Int64?) -> Parameter {
        Parameter(.int8, value.map { bigEndian($0) })
    }

    public static func float8(_ value: Double?) -> Parameter {
        Parameter(.float8, value.map { bigEndian($0.bitPattern) })
    }

    public static func text(_ value: String?) -> Parameter {
        Parameter(.text, value.map { Array($0.utf8) })
    }

    public static func bytea(_ value: [UInt8]?) -> Parameter {
        Parameter(.bytea, value)
    }

    public static func timestamp(_ value: Timestamp?) -> Parameter {
        Parameter(.timestamptz, value.map { bigEndian($0.postgresMicroseconds) })
    }

    /// JSON that the server keeps as written.
    public static func json(_ value: [UInt8]?) -> Parameter {
        Parameter(.json, value)
    }

    /// JSON that the server parses: key order, spacing and duplicate keys are lost. Any collection
    /// of bytes, such as `Data`.
    @inlinable
    public static func jsonb(_ value: (some Collection<UInt8>)?) -> Parameter {
        Parameter(.jsonb, value.map { [1] + $0 })
    }
}

func bigEndian<I: FixedWidthInteger>(_ value: I) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
}

/// A `timestamptz`, as a count so that nothing is rounded.
public struct Timestamp: Hashable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    public var unixMicroseconds: Int64

    public init(unixMicroseconds: Int64) {
        self.unixMicroseconds = unixMicroseconds
    }

    /// Microseconds from 1970 to 2000, where Postgres starts to count.
    @usableFromInline static let epochDifference: Int64 = 946_684_800_000_000

    /// Beyond what can be counted from there stands infinity, and so do the ends of the range.
    @inlinable var postgresMicroseconds: Int64 {
        guard unixMicroseconds != .max else { return .max }
        let (count, isBeyond) =
            unixMicroseconds.subtractingReportingOverflow(Self.epochDifference)
        return isBeyond ? .min : count
    }

    init(postgresMicroseconds: Int64) {
        let (count, isBeyond) =
            postgresMicroseconds.addingReportingOverflow(Self.epochDifference)
        unixMicroseconds = isBeyond ? .max : postgresMicroseconds == .min ? .min : count
    }
}
