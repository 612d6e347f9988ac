import TLS
import Testing

private let key = [UInt8](repeating: 7, count: 32)
private let binding = Array("tenant 1".utf8)

struct `Sealed bytes` {
    @Test(arguments: ["", "x", String(repeating: "secret ", count: 100)])
    func `are opened by the same key with the same binding, and differ each time`(text: String) {
        let bytes = Array(text.utf8)
        let sealed = AES256GCM.seal(bytes, key: key, binding: binding)
        #expect(AES256GCM.open(sealed, key: key, binding: binding) == bytes)
        #expect(sealed.count == bytes.count + 28)
        #expect(AES256GCM.seal(bytes, key: key, binding: binding) != sealed)
    }

    @Test func `are opened by nothing else`() {
        let sealed = AES256GCM.seal(Array("secret".utf8), key: key, binding: binding)
        for index in sealed.indices {
            var other = sealed
            other[index] ^= 1
            #expect(AES256GCM.open(other, key: key, binding: binding) == nil, "byte \(index)")
        }
        for count in 0..<sealed.count {
            let cut = Array(sealed.prefix(count))
            #expect(AES256GCM.open(cut, key: key, binding: binding) == nil, "\(count) bytes")
        }
        let otherKey = key.dropLast() + [8]
        #expect(AES256GCM.open(sealed, key: Array(otherKey), binding: binding) == nil)
        #expect(AES256GCM.open(sealed, key: key, binding: Array("tenant 2".utf8)) == nil)
        #expect(AES256GCM.open(sealed, key: key, binding: []) == nil)
        #expect(AES256GCM.open(sealed, key: [], binding: binding) == nil)
    }

    /// Test case 14 of the GCM specification.
    @Test func `are what others seal`() {
        let zeros = [UInt8](repeating: 0, count: 32)
        let sealed: [UInt8] =
            Array(zeros.prefix(12)) + [
                0xce, 0xa7, 0x40, 0x3d, 0x4d, 0x60, 0x6b, 0x6e,
                0x07, 0x4e, 0xc5, 0xd3, 0xba, 0xf3, 0x9d, 0x18,
                0xd0, 0xd1, 0xc8, 0xa7, 0x99, 0x99, 0x6b, 0xf0,
                0x26, 0x5b, 0x98, 0xb5, 0xd4, 0x8a, 0xb9, 0x19,
            ]
        #expect(AES256GCM.open(sealed, key: zeros, binding: []) == Array(zeros.prefix(16)))
    }
}
