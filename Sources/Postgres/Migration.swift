import Encodings

/// One numbered change of the schema. It is never edited once a database has it: add another.
public struct Migration: Hashable, Sendable {
    /// 1, 2, 3 … without gaps.
    public var number: Int
    public var name: String
    public var sql: String

    public init(number: Int, name: String, sql: String) {
        self.number = number
        self.name = name
        self.sql = sql
    }

    /// FNV-1a with 64 bits, in hexadecimal: finds an edited file, guards against nobody.
    var checksum: String { String(FNV1a.hash(sql.utf8), radix: 16) }
}
