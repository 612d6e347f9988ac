/// One numbered change of the schema. Once released it is never edited: add another.
public struct Migration: Hashable, Sendable {
    /// 1, 2, 3 … without holes.
    public var number: Int
    public var name: String
    public var sql: String

    public init(number: Int, name: String, sql: String) {
        self.number = number
        self.name = name
        self.sql = sql
    }

    /// FNV-1a with 64 bits, in hexadecimal: finds an edited file, guards against nobody.
    var checksum: String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in sql.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
