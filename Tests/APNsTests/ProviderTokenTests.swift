import Encodings
import APNs
import Foundation
import Testing

@Test func `a provider token has the header and claims that Apple names`() throws {
    let token = ProviderToken(keyID: "ABC123DEFG", teamID: "DEF123GHIJ", issuedAt: 1_757_505_600)
        .signed(with: [UInt8](repeating: 7, count: 64))
    let parts = token.split(separator: ".")
    #expect(parts.count == 3)
    let header = try #require(Base64URL.decode(parts[0]))
    let claims = try #require(Base64URL.decode(parts[1]))
    #expect(String(decoding: header, as: UTF8.self) == #"{"alg":"ES256","kid":"ABC123DEFG"}"#)
    #expect(
        String(decoding: claims, as: UTF8.self) == #"{"iss":"DEF123GHIJ","iat":1757505600}"#)
    #expect(Base64URL.decode(parts[2])?.count == 64)
}
