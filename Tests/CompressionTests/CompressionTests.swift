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
        #expect(throws: Gzip.UnpackError.tooLong) { try Gzip.unpacked(packed, atMost: 9_999_999) }
        var (changed, bytesMade) = (packed, 0)
        changed[changed.count - 6] ^= 1
        #expect(throws: Gzip.UnpackError.malformed) {
            try Gzip.unpacked(changed, atMost: 10_000_000, &bytesMade)
        }
        #expect(bytesMade == 10_000_000)
    }

    @Test func `is refused when it is cut off, changed or no gzip at all`() throws {
        let packed = try #require(Gzip.packed(Array("a text of some length".utf8)))
        for count in 0..<packed.count {
            #expect(throws: Gzip.UnpackError.malformed, "\(count) bytes") {
                try Gzip.unpacked(Array(packed.prefix(count)), atMost: 1_000)
            }
        }
        var changed = packed
        changed[changed.count - 5] ^= 1
        #expect(throws: Gzip.UnpackError.malformed) { try Gzip.unpacked(changed, atMost: 1_000) }
        #expect(throws: Gzip.UnpackError.malformed) {
            try Gzip.unpacked(Array("plain".utf8), atMost: 1_000)
        }
    }
}

private let dictionary = Array("\"state\":\"delivered\",\"estimate\":\"2026-".utf8)

/// By Python's zlib, with that dictionary.
struct `What deflate packed by a dictionary` {
    private let packed = Self.bytes(
        hex: "53c254a4909897a290975f92919997ae909a539caa50929158a29059ac909d975f9e0700")
    private let plain = "\"state\":\"delivered\" and nothing else that is known"
    private let inflate = PrimedInflate(dictionary: dictionary)

    @Test func `comes back as it was`() throws {
        let unpacked = try packed.withUnsafeBytes { try inflate.unpacked($0, atMost: 51) }
        #expect(String(decoding: unpacked, as: UTF8.self) == plain)
    }

    @Test func `comes back when it is much longer than packed`() throws {
        let packed = Self.bytes(
            hex: "edcbc10d80201000b0552e6e462211a2391e90b83e03b8808ffedbe38ba2e4193956eb79"
                + "457d668dd5ca8a3ee3cef1a6611886611886611886611886611886611886611886611886"
                + "61188661fc6f6c")
        let unpacked = try packed.withUnsafeBytes { try inflate.unpacked($0, atMost: 20_000) }
        #expect(String(decoding: unpacked, as: UTF8.self) == String(repeating: plain, count: 200))
    }

    @Test func `is refused when it is cut off, and never more than is wanted`() throws {
        for count in 0..<packed.count {
            #expect(throws: Gzip.UnpackError.self, "\(count) bytes") {
                try packed.prefix(count).withUnsafeBytes { part in
                    try inflate.unpacked(part, atMost: 1_000)
                }
            }
        }
        #expect(throws: Gzip.UnpackError.tooLong) {
            try packed.withUnsafeBytes { try inflate.unpacked($0, atMost: plain.utf8.count - 1) }
        }
    }

    private static func bytes(hex: String) -> [UInt8] {
        stride(from: 0, to: hex.count, by: 2).compactMap { place in
            UInt8(hex.dropFirst(place).prefix(2), radix: 16)
        }
    }
}

struct `What zstd packs by a dictionary` {
    @Test(arguments: samples)
    func `comes back as it was`(bytes: [UInt8]) throws {
        let zstd = try #require(PrimedZstandard(dictionary: dictionary))
        let packed = try #require(zstd.packed(bytes))
        let unpacked = try packed.withUnsafeBytes { packed in
            try zstd.unpacked(packed, atMost: bytes.count)
        }
        #expect(unpacked == bytes)
    }

    @Test func `is smaller than by gzip if the dictionary has it`() throws {
        let zstd = try #require(PrimedZstandard(dictionary: dictionary))
        let packed = try #require(zstd.packed(dictionary))
        #expect(packed.count < 14)
        #expect(packed.count < (try #require(Gzip.packed(dictionary))).count / 3)
    }

    @Test func `is refused when it is cut off or changed, and never more than is wanted`() throws {
        let zstd = try #require(PrimedZstandard(dictionary: dictionary))
        let bytes = Array("\"state\":\"delivered\" and nothing else that is known".utf8)
        let packed = try #require(zstd.packed(bytes))
        for count in 0..<packed.count {
            #expect(throws: Gzip.UnpackError.self, "\(count) bytes") {
                try packed.prefix(count).withUnsafeBytes { try zstd.unpacked($0, atMost: 1_000) }
            }
        }
        for bit in 0..<packed.count * 8 {
            var changed = packed
            changed[bit / 8] ^= 1 << (bit % 8)
            // Without a checksum it may become another text, but never a longer one than is wanted.
            let unpacked = try? changed.withUnsafeBytes { try zstd.unpacked($0, atMost: 1_000) }
            #expect((unpacked?.count ?? 0) <= 1_000)
        }
        #expect(throws: Gzip.UnpackError.tooLong) {
            try packed.withUnsafeBytes { try zstd.unpacked($0, atMost: bytes.count - 1) }
        }
    }

    @Test func `is packed by several at once`() async throws {
        let zstd = try #require(PrimedZstandard(dictionary: dictionary))
        let areSame = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let text = Array("\"state\":\"delivered\",\(number)".utf8)
                    let packed = zstd.packed(text) ?? []
                    let unpacked = try? packed.withUnsafeBytes {
                        try zstd.unpacked($0, atMost: 1_000)
                    }
                    return unpacked == text
                }
            }
            return await group.reduce(true) { $0 && $1 }
        }
        #expect(areSame)
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
