import Compression
import Testing

/// Bytes with something in common, as texts have, and some that have nothing.
private let samples: [[UInt8]] = [
    [], [0], Array("{\"order\":1}".utf8),
    Array(String(repeating: "the driver has the order; ", count: 4_000).utf8),
    (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) },
]

struct `What gzip packs` {
    @Test(arguments: samples)
    func `comes back as it was`(bytes: [UInt8]) throws {
        let packed = try #require(Gzip.packed(bytes))
        #expect(packed.prefix(2) == [0x1F, 0x8B])
        #expect(try Gzip.unpacked(packed, atMost: bytes.count) == bytes)
    }

    @Test func `may be several members one after the other, for one text`() throws {
        let (one, other) = (Array("one ".utf8), Array("other".utf8))
        let packed = try #require(Gzip.packed(one)) + #require(Gzip.packed(other))
        #expect(try Gzip.unpacked(packed, atMost: 100) == one + other)
    }

    @Test func `is never more than is wanted, however small it is packed`() throws {
        let packed = try #require(Gzip.packed([UInt8](repeating: 0, count: 10_000_000)))
        #expect(packed.count < 100_000)
        #expect(throws: Gzip.Fault.tooLong) { try Gzip.unpacked(packed, atMost: 9_999_999) }
    }

    @Test func `is refused when it is cut off, changed or no gzip at all`() throws {
        let packed = try #require(Gzip.packed(Array("a text of some length".utf8)))
        for count in 0..<packed.count {
            #expect(throws: Gzip.Fault.malformed, "\(count) bytes") {
                try Gzip.unpacked(Array(packed.prefix(count)), atMost: 1_000)
            }
        }
        var changed = packed
        changed[changed.count - 5] ^= 1
        #expect(throws: Gzip.Fault.malformed) { try Gzip.unpacked(changed, atMost: 1_000) }
        #expect(throws: Gzip.Fault.malformed) {
            try Gzip.unpacked(Array("plain".utf8), atMost: 1_000)
        }
    }
}

struct `What deflate packs by a dictionary` {
    private let dictionary = Array("\"state\":\"delivered\",\"estimate\":\"2026-".utf8)

    @Test(arguments: samples)
    func `comes back as it was`(bytes: [UInt8]) throws {
        let deflate = try #require(PrimedDeflate(dictionary: dictionary))
        let packed = try #require(deflate.packed(bytes))
        let unpacked = try packed.withUnsafeBytes { packed in
            try deflate.unpacked(packed, atMost: bytes.count + 1)
        }
        #expect(unpacked == bytes)
    }

    @Test func `is smaller than by gzip if the dictionary has it`() throws {
        let deflate = try #require(PrimedDeflate(dictionary: dictionary))
        let packed = try #require(deflate.packed(dictionary))
        #expect(packed.count < 12)
        #expect(packed.count < (try #require(Gzip.packed(dictionary))).count / 3)
    }

    @Test func `is refused when it is cut off, and never more than is wanted`() throws {
        let deflate = try #require(PrimedDeflate(dictionary: dictionary))
        let bytes = Array("\"state\":\"delivered\" and nothing else that is known".utf8)
        let packed = try #require(deflate.packed(bytes))
        for count in 0..<packed.count {
            #expect(throws: Gzip.Fault.self, "\(count) bytes") {
                try packed.prefix(count).withUnsafeBytes { part in
                    try deflate.unpacked(part, atMost: 1_000)
                }
            }
        }
        #expect(throws: Gzip.Fault.tooLong) {
            try packed.withUnsafeBytes { try deflate.unpacked($0, atMost: bytes.count - 1) }
        }
    }
}

struct `What zstd packs` {
    @Test func `is a hundredth of a text that repeats itself`() throws {
        let text = try #require(samples.first { $0.count > 80_000 })
        let packed = try #require(Zstandard.packed(text))
        #expect(packed.prefix(4) == [0x28, 0xB5, 0x2F, 0xFD])
        #expect(packed.count < text.count / 100)
    }
}
