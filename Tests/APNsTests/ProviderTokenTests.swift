import APNs
import Foundation
import Testing

@Test func `a provider token has the header and claims that Apple names`() throws {
    let token = ProviderToken(keyID: "ABC123DEFG", teamID: "DEF123GHIJ", issuedAt: 1_757_505_600)
        .signed(with: [UInt8](repeating: 7, count: 64))
    let parts = token.split(separator: ".")
    #expect(parts.count == 3)
    let header = try #require(Base64URL.decode(parts[0].utf8))
    let claims = try #require(Base64URL.decode(parts[1].utf8))
    #expect(String(decoding: header, as: UTF8.self) == #"{"alg":"ES256","kid":"ABC123DEFG"}"#)
    #expect(
        String(decoding: claims, as: UTF8.self) == #"{"iss":"DEF123GHIJ","iat":1757505600}"#)
    #expect(Base64URL.decode(parts[2].utf8)?.count == 64)
}

@Test func `base64url agrees with Foundation's base64 for every length`() {
    for length in 0..<70 {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 89 &+ length) }
        let reference = Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        let text = Base64URL.encode(bytes)
        #expect(String(decoding: text, as: UTF8.self) == reference)
        #expect(Base64URL.decode(text) == bytes)
    }
}

@Test(arguments: ["a", "a+b/", "ab=="])
func `base64url refuses what is not its alphabet or length`(text: String) {
    #expect(Base64URL.decode(text.utf8) == nil)
}
