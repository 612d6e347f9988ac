import Foundation
import TLS
import Testing

struct ES256Tests {
    @Test func `a signature is 64 bytes and valid for its message only`() {
        let key = ES256PrivateKey.generate()
        // One in 128 signatures has a leading zero byte to keep; a few hundred meet it.
        for number in 0..<400 {
            let message = Array("message \(number)".utf8)
            let signature = key.sign(message)
            #expect(signature.count == 64)
            #expect(key.publicKey.isValid(signature: signature, for: message))
            #expect(!key.publicKey.isValid(signature: signature, for: message + [0]))
        }
    }

    @Test func `a signature with any bit flipped, cut short or empty is not valid`() {
        let key = ES256PrivateKey.generate()
        let message = Array("message".utf8)
        let signature = key.sign(message)
        for index in signature.indices {
            var forged = signature
            forged[index] ^= 1
            #expect(!key.publicKey.isValid(signature: forged, for: message))
        }
        #expect(!key.publicKey.isValid(signature: Array(signature.dropLast()), for: message))
        #expect(!key.publicKey.isValid(signature: [], for: message))
        #expect(!key.publicKey.isValid(signature: [UInt8](repeating: 0, count: 64), for: message))
    }

    @Test func `another key's signature is not valid`() {
        let message = Array("message".utf8)
        let signature = ES256PrivateKey.generate().sign(message)
        #expect(!ES256PrivateKey.generate().publicKey.isValid(signature: signature, for: message))
    }

    /// RFC 7515, appendix A.3: a published key, message and signature.
    @Test func `the example of the standard is valid`() throws {
        let publicKey = try ES256PublicKey(
            pem: """
                -----BEGIN PUBLIC KEY-----
                MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7
                6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
                -----END PUBLIC KEY-----
                """)
        let message =
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leG"
            + "FtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        let encoded =
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU"
            + "1Q=="
        let signature = try #require(
            Data(
                base64Encoded: encoded.replacing("-", with: "+").replacing("_", with: "/")))
        #expect(publicKey.isValid(signature: Array(signature), for: Array(message.utf8)))
    }

    @Test func `keys survive their PEM`() throws {
        let key = ES256PrivateKey.generate()
        let copy = try ES256PrivateKey(pem: key.pem)
        let publicCopy = try ES256PublicKey(pem: key.publicKey.pem)
        let message = Array("message".utf8)
        #expect(key.pem.hasPrefix("-----BEGIN PRIVATE KEY-----"))
        #expect(publicCopy.isValid(signature: copy.sign(message), for: message))
    }

    @Test func `text that is no key is refused and not repeated in the error`() {
        let secret = "MIGHAgEAMBMGByqGSM49AgEG"
        for text in [
            "", secret, "-----BEGIN PRIVATE KEY-----\n\(secret)\n-----END PRIVATE KEY-----",
        ] {
            #expect {
                _ = try ES256PrivateKey(pem: text)
            } throws: { error in
                guard case TLSError.privateKeyUnreadable = error else { return false }
                return !"\(error)".contains(secret)
            }
        }
    }

    @Test(arguments: [
        ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"],
        ["genpkey", "-algorithm", "ED25519"],
    ])
    func `a key of another kind is refused as such`(arguments: [String]) throws {
        #expect(throws: TLSError.keyNotP256) {
            _ = try ES256PrivateKey(pem: try Self.openssl(arguments))
        }
    }

    @Test func `an encrypted key is refused without asking for its passphrase`() throws {
        let pem = try Self.openssl([
            "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-aes128",
            "-pass", "pass:secret",
        ])
        #expect {
            _ = try ES256PrivateKey(pem: pem)
        } throws: { error in
            guard case TLSError.privateKeyUnreadable = error else { return false }
            return true
        }
    }

    @Test func `a digest is the published one`() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(
            SHA256.hash(Array("abc".utf8)).map { String(format: "%02x", $0) }.joined() == expected)
        #expect(SHA256.hash([]).prefix(4) == [0xe3, 0xb0, 0xc4, 0x42])
    }

    @Test func `random bytes are as many as asked and differ`() {
        #expect(SecureRandom.bytes(0).isEmpty)
        #expect(SecureRandom.bytes(33).count == 33)
        #expect(SecureRandom.bytes(32) != SecureRandom.bytes(32))
    }

    private static func openssl(_ arguments: [String]) throws -> String {
        let tool = Process()
        tool.executableURL = URL(filePath: "/usr/bin/env")
        tool.arguments = ["openssl"] + arguments
        let output = Pipe()
        tool.standardOutput = output
        tool.standardError = FileHandle.nullDevice
        try tool.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        tool.waitUntilExit()
        return String(decoding: bytes, as: UTF8.self)
    }
}
