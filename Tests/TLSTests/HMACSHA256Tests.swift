import TLS
import Testing

@Test(arguments: [
    (
        "Jefe", "what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ), ("", "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
])
func `an HMAC is the one that others compute`(key: String, text: String, expected: String) {
    let code = HMACSHA256.code(for: Array(text.utf8), key: Array(key.utf8))
    let hex = code.map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }.joined()
    #expect(hex == expected)
}

@Test func `an HMAC is valid for its own message and key only`() {
    let (message, key) = (Array("message".utf8), [UInt8](repeating: 7, count: 32))
    let code = HMACSHA256.code(for: message, key: key)
    #expect(HMACSHA256.isValid(code, for: message, key: key))
    #expect(!HMACSHA256.isValid(code, for: message + [0], key: key))
    #expect(!HMACSHA256.isValid(code, for: message, key: key.dropLast() + [8]))
    #expect(!HMACSHA256.isValid(Array(code.dropLast()), for: message, key: key))
    #expect(!HMACSHA256.isValid([], for: message, key: key))
    for index in code.indices {
        var other = code
        other[index] ^= 1
        #expect(!HMACSHA256.isValid(other, for: message, key: key))
    }
}
