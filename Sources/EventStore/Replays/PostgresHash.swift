/// The hash that Postgres' `hashtextextended` has of a text: Bob Jenkins' lookup3 of 2006, with a
/// seed. It may be another one some day, or on a machine of the other byte order, so that no
/// answer may depend on it, only how soon there is one.
/// Source: PostgreSQL, src/common/hashfn.c, `hash_bytes_extended`.
struct PostgresHash {
    private var a: UInt32
    private var b: UInt32
    private var c: UInt32

    static func extended(_ text: String, seed: Int64) -> UInt64 {
        var text = text
        return text.withUTF8 { PostgresHash(UnsafeRawBufferPointer($0), seed: seed).value }
    }

    private var value: UInt64 { UInt64(b) << 32 | UInt64(c) }

    private init(_ bytes: UnsafeRawBufferPointer, seed: Int64) {
        a = 0x9E37_79B9 &+ UInt32(truncatingIfNeeded: bytes.count) &+ 3_923_095
        (b, c) = (a, a)
        if seed != 0 {
            a &+= UInt32(truncatingIfNeeded: seed >> 32)
            b &+= UInt32(truncatingIfNeeded: seed)
            mix()
        }
        var place = 0
        while bytes.count - place >= 12 {
            a &+= Self.word(bytes, place)
            b &+= Self.word(bytes, place + 4)
            c &+= Self.word(bytes, place + 8)
            mix()
            place += 12
        }
        a &+= Self.word(bytes, place)
        b &+= Self.word(bytes, place + 4)
        // Its lowest byte is the length's.
        c &+= Self.word(bytes, place + 8) << 8
        finish()
    }

    /// Four bytes, the first of which is the lowest; those beyond the end are 0.
    private static func word(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt32 {
        if place + 4 <= bytes.count {
            return UInt32(
                littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
        }
        guard place < bytes.count else { return 0 }
        return bytes[place...].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    private mutating func mix() {
        a = Self.mixed(a, c, 4)
        c &+= b
        b = Self.mixed(b, a, 6)
        a &+= c
        c = Self.mixed(c, b, 8)
        b &+= a
        a = Self.mixed(a, c, 16)
        c &+= b
        b = Self.mixed(b, a, 19)
        a &+= c
        c = Self.mixed(c, b, 4)
        b &+= a
    }

    private mutating func finish() {
        c = Self.finished(c, b, 14)
        a = Self.finished(a, c, 11)
        b = Self.finished(b, a, 25)
        c = Self.finished(c, b, 16)
        a = Self.finished(a, c, 4)
        b = Self.finished(b, a, 14)
        c = Self.finished(c, b, 24)
    }

    private static func mixed(_ word: UInt32, _ other: UInt32, _ bits: UInt32) -> UInt32 {
        (word &- other) ^ (other << bits | other >> (32 - bits))
    }

    private static func finished(_ word: UInt32, _ other: UInt32, _ bits: UInt32) -> UInt32 {
        (word ^ other) &- (other << bits | other >> (32 - bits))
    }
}
